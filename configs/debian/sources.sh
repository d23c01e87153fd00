# Package sources for configs/debian/prepare.sh: sourced, not run.
# shellcheck shell=bash disable=SC2016,SC2154

readonly apt_sources=/etc/apt/sources.list.d/carroll.sources
readonly apt_pins=/etc/apt/preferences.d/carroll
readonly debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# --- sources: trixie, sid and experimental, pinned below everything that is there -----------------

# The address of the Debian archive that this machine already uses; empty if there is none.
archive_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(CODENAME)|$(REPO_URI)' \
    'Created-By: Packages' 2>/dev/null |
    awk -F'|' -v codename="$codename" \
      '$1 == "Debian" && $2 == "Debian" && (codename == "" || $3 == codename) && !found { print $4; found = 1 }'
}

knows_suite() {
  apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(SUITE)|$(RELEASE)' 'Created-By: Packages' |
    awk -F'|' -v suite="$1" '$1 == "Debian" && ($2 == suite || $3 == suite || $4 == suite) { found = 1 }
      END { exit !found }'
}

write_sources() { # MIRROR SUITE…
  local mirror=$1
  shift
  {
    echo "# Written by Carroll's configs/debian/prepare.sh; pinned low in $apt_pins."
    echo "Types: deb"
    echo "URIs: $mirror"
    echo "Suites: $*"
    echo "Components: main"
    [ ! -r "$debian_keyring" ] || echo "Signed-By: $debian_keyring"
  } >"$scratch_dir/carroll.sources"
  "${as_root[@]}" install -m 644 "$scratch_dir/carroll.sources" "$apt_sources"
}

write_pins() { # SUITE…
  local suite name priority
  echo "# Written by Carroll's configs/debian/prepare.sh: nothing comes from these suites unless asked for." \
    >"$scratch_dir/carroll.pins"
  for suite in "$@"; do
    name=$suite
    case $suite in
      sid) priority=50 ;;
      experimental) priority=1 name=rc-buggy ;; # its code name
      *) priority=100 ;;
    esac
    printf '\nPackage: *\nPin: release o=Debian,n=%s\nPin-Priority: %s\n' "$name" "$priority"
  done >>"$scratch_dir/carroll.pins"
  "${as_root[@]}" install -m 644 "$scratch_dir/carroll.pins" "$apt_pins"
}

update_carroll_sources() {
  quietly apt -o Dir::Etc::SourceList="$apt_sources" -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any update
}

add_sources() {
  local suite missing=() mirror
  if [ -e "$apt_sources" ]; then
    say "package sources: $apt_sources is there already"
    lists_are_fresh || update_carroll_sources || warn "the sources in $apt_sources cannot be read; using older lists"
    return
  fi
  for suite in trixie sid experimental; do knows_suite "$suite" || missing+=("$suite"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  mirror=$(archive_mirror)
  if [ -z "$mirror" ]; then
    warn "this machine's package sources name no Debian archive; not adding ${missing[*]}"
    return
  fi
  say "adding package sources: ${missing[*]} from $mirror ($apt_sources, pinned low by $apt_pins)"
  # Before the sources, so that there is no moment at which they are not pinned.
  write_pins "${missing[@]}"
  write_sources "$mirror" "${missing[@]}"
  if update_carroll_sources; then return; fi
  "${as_root[@]}" rm -f "$apt_sources" "$apt_pins"
  warn "cannot read ${missing[*]} from $mirror; removed those sources again"
}

# The newest version of a package that any source offers, if its major number is at least the given one.
newest_version() { # PACKAGE MAJOR
  local version newest=''
  while read -r version; do
    version=${version// /}
    [ -n "$version" ] || continue
    if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest"; then newest=$version; fi
  done < <(apt-cache madison "$1" 2>/dev/null | awk -F'|' '{ print $2 }')
  if [ -n "$newest" ] && dpkg --compare-versions "$newest" ge "$2"; then echo "$newest"; fi
}

# Installs packages that need newer libraries than the release has; refuses to remove anything.
install_from_newer_suite() {
  local suite option simulation upgraded
  for suite in '' trixie forky sid; do
    option=()
    [ -z "$suite" ] || option=(-t "$suite")
    simulation=$(apt-get -s "${option[@]}" --no-install-recommends install "$@" 2>/dev/null) || continue
    if grep -q '^Remv ' <<<"$simulation"; then continue; fi
    say "installing $*${suite:+, with libraries of $suite}"
    upgraded=$(sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' <<<"$simulation" | sort | tr '\n' ' ')
    [ -z "$upgraded" ] || say "this upgrades, and removes nothing: $upgraded"
    quietly apt install -y --no-install-recommends "${option[@]}" "$@" && return 0
  done
  return 1
}
