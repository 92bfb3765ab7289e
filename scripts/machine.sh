# shellcheck shell=bash
# What ./ash and ./check know of the machine: its JDK, its packages. Sourced, never run.

say() {
    printf 'ash: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

is_root() {
    [ "${EUID:-1}" = 0 ]
}

is_debian() {
    [ -f /etc/debian_version ] && has apt-get
}

# The home and a name of the JDK that was found.
java_home=''
java_build=''

# Takes the folder $1 if it is the home of a JDK 25 or later. Reads the file that every JDK has
# about itself, because to run java would cost more than the whole command may.
use_jdk() {
    local line version='' build='' maker=''
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    while IFS= read -r line; do
        line=${line//\"/}
        case $line in
            JAVA_VERSION=*) version=${line#*=} ;;
            JAVA_RUNTIME_VERSION=*) build=${line#*=} ;;
            IMPLEMENTOR=*) maker=${line#*=} ;;
        esac
    done <"$1/release"
    version=${version%%[!0-9]*}
    [ -n "$version" ] && [ "$version" -ge 25 ] || return 1
    # shellcheck disable=SC2034 # read by those who source this
    java_home=$1 java_build="$maker-${build:-$version}"
}

# The folder above the bin folder that the program $1 lies in, links followed.
home_of_program() {
    local program=$1 link
    while [ -L "$program" ]; do
        link=$(readlink "$program")
        case $link in
            /*) program=$link ;;
            *) program=${program%/*}/$link ;;
        esac
    done
    (cd -P "${program%/*}/.." 2>/dev/null && pwd)
}

look_for_jdk() {
    local folder
    if [ -n "${ASH_JAVA:-}" ]; then
        folder=$ASH_JAVA
        [ -d "$folder" ] || folder=$(home_of_program "$folder")
        use_jdk "$folder" || die "ASH_JAVA is $ASH_JAVA, which is not a JDK 25 or later."
        return 0
    fi
    [ -n "${JAVA_HOME:-}" ] && use_jdk "$JAVA_HOME" && return 0
    for folder in /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        use_jdk "$folder" && return 0
    done
    has java && use_jdk "$(home_of_program "$(command -v java)")"
}

find_jdk() {
    look_for_jdk && return 0
    if is_root && is_debian && apt-cache show openjdk-25-jdk-headless >/dev/null 2>&1; then
        install_packages openjdk-25-jdk-headless && look_for_jdk && return 0
    fi
    say 'Ash needs a JDK 25 or later, and none was found.'
    say '  Debian, Ubuntu: apt-get install openjdk-25-jdk-headless (where your release has it)'
    say '  Fedora:         dnf install java-25-openjdk-devel'
    say '  macOS:          brew install openjdk@25'
    say '  anywhere:       unpack any JDK 25 and set ASH_JAVA to its folder'
    exit 1
}

need_maven() {
    has mvn && return 0
    is_root && is_debian && install_packages maven && return 0
    say 'Ash is built with Maven 3.8 or later, and there is no mvn on the PATH.'
    say '  Debian, Ubuntu: apt-get install maven      Fedora: dnf install maven'
    say '  macOS:          brew install maven'
    exit 1
}

# Installs Debian packages, says so, and shows what went wrong if it did.
install_packages() {
    local output
    [ -z "${ASH_NO_INSTALL:-}" ] || return 1
    say "installing with apt-get: $*"
    output=$(apt_install "$@" 2>&1) && return 0
    output=$( (apt-get update && apt_install "$@") 2>&1) && return 0
    say "could not install $*:"
    printf '%s\n' "$output" | tail -n 5 >&2
    return 1
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# Sees to the packages that give the programs: need_packages bwrap:bubblewrap git:git. Without
# them Ash still runs, with less, so nothing here is fatal.
need_packages() {
    local pair missing=''
    for pair in "$@"; do
        has "${pair%%:*}" || missing="$missing ${pair#*:}"
    done
    [ -n "$missing" ] || return 0
    [ "$(uname -s)" = Linux ] || return 0
    # shellcheck disable=SC2086 # one word a package
    if is_root && is_debian && install_packages $missing; then
        return 0
    fi
    say "not installed:$missing. Install with your package manager (Debian, Ubuntu: apt-get install$missing)."
}

# An umlaut in an argument or a file name survives only where the locale knows it.
use_utf8() {
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
        *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) ;;
        *) [ "$(uname -s)" = Darwin ] || export LC_ALL=C.UTF-8 ;;
    esac
}

# Where things are kept that can be made again; empty where there is no such place.
cache_folder() {
    local base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    printf '%s' "${base:+$base/ash}"
}

# Names the build in $2 that is, or will be, at $1: one folder a place, one name in it a build. The
# time is part of it because a JVM refuses a cache whose jars are equal but not the same.
build_id() {
    printf '%s/%s-%s\n' "$(printf '%s' "$1" | cksum | tr -d ' ')" "$(date +%s)" \
        "$(cat "$2"/cli/*.jar | cksum | tr -d ' ')"
}
