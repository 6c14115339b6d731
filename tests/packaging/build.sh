#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE FOLDER: build Debian packages of SOURCE in two ways, in FOLDER/debian and
# FOLDER/cpack. lintian must accept the first.
set -eu
source=$1 folder=$2
tools="debhelper dh-python dpkg-dev lintian systemd systemd-container dbus libpam-systemd curl"
# shellcheck disable=SC2086
dpkg -s $tools > /dev/null 2>&1 || { $(command -v sudo) apt-get update && $(command -v sudo) apt-get install -y $tools; } > "$folder.log" 2>&1 ||
	{ tail "$folder.log"; exit 1; }
rm -rf "$folder"
mkdir -p "$folder/source" "$folder/cpack"
(cd "$source" && git ls-files -co --exclude-standard -z | tar cf - --null -T -) | tar xf - -C "$folder/source"
ln -s packaging/debian "$folder/source/debian"
(cd "$folder/source" && dpkg-buildpackage -us -uc -b > ../debian.log 2>&1) || { tail -30 "$folder/debian.log"; exit 1; }
mkdir "$folder/debian"
mv "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo "$folder/debian"
# A publisher of packages replaces our address, which does not exist.
lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$folder"/debian/*.changes
cmake -S "$source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/usr > "$folder/cpack.log"
cmake --build "$folder/build" >> "$folder/cpack.log"
(cd "$folder/cpack" && cpack -G DEB --config "$folder/build/CPackConfig.cmake" >> "$folder/cpack.log") || { tail -30 "$folder/cpack.log"; exit 1; }
