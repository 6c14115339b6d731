# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that fetch Debian's packages without root, and without a change to the machine's apt,
# dpkg or /usr. tests/matrix/build.sh and tests/llvm/build.sh source this file.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_setup ROOT "TYPE MIRROR SUITE"...: give apt-get a configuration of its own below ROOT with
# these sources. TYPE is deb or deb-src. Package lists are fetched once.
apt_setup() {
	local root=$1 type mirror suite

	shift
	export APT_CONFIG=$root/apt.conf
	[ -e "$root/updated" ] && return 0
	mkdir -p "$root"/etc/{apt.conf.d,preferences.d,sources.list.d} "$root/state/lists/partial" \
		"$root/cache/archives/partial"
	: >"$root/state/status"
	# A mirror may be a frozen copy with expired dates. The signature is checked all the same.
	while read -r type mirror suite; do
		echo "$type [check-valid-until=no signed-by=$keyring] $mirror $suite main"
	done < <(printf '%s\n' "$@") >"$root/etc/sources.list"
	cat >"$root/apt.conf" <<-END
		Dir "$root";
		Dir::Etc "$root/etc";
		Dir::State "$root/state";
		Dir::State::status "$root/state/status";
		Dir::Cache "$root/cache";
		Acquire::Languages "none";
		Acquire::Retries "2";
		APT::Sandbox::User "";
	END
	apt-get -q update >"$root/update.log" 2>&1 && ! grep -q '^[EW]:' "$root/update.log" &&
		touch "$root/updated"
}
