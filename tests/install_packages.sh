#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install_packages.sh PACKAGE...: install Debian packages that a preset needs besides tests/packages.txt.
set -eu
missing=
for package in "$@"; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
	echo "these packages are missing, and only root can install them:$missing"
	exit 77
fi
apt-get update
# shellcheck disable=SC2086
exec apt-get install -y --no-install-recommends $missing
