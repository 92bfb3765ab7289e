# shellcheck shell=bash
# Functions of ./ash and ./check for the JDK and packages of this machine. Sourced, not executed.

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

# Home directory and build name of the JDK found.
java_home=''
java_build=''

# Uses directory $1 if it is the home of a JDK 25 or later. Reads the JDK's release file, because
# running java would take too long.
use_jdk() {
    local line version='' build='' vendor=''
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    while IFS= read -r line; do
        line=${line//\"/}
        case $line in
            JAVA_VERSION=*) version=${line#*=} ;;
            JAVA_RUNTIME_VERSION=*) build=${line#*=} ;;
            IMPLEMENTOR=*) vendor=${line#*=} ;;
        esac
    done <"$1/release"
    version=${version%%[!0-9]*}
    [ -n "$version" ] && [ "$version" -ge 25 ] || return 1
    # shellcheck disable=SC2034 # used by scripts that source this file
    java_home=$1 java_build="$vendor-${build:-$version}"
}

# Prints the parent of the bin directory of program $1, following links.
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

search_jdk() {
    local directory
    if [ -n "${ASH_JAVA:-}" ]; then
        directory=$ASH_JAVA
        [ -d "$directory" ] || directory=$(home_of_program "$directory")
        use_jdk "$directory" || die "ASH_JAVA is $ASH_JAVA, which is not a JDK 25 or later."
        return 0
    fi
    [ -n "${JAVA_HOME:-}" ] && use_jdk "$JAVA_HOME" && return 0
    for directory in /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        use_jdk "$directory" && return 0
    done
    has java && use_jdk "$(home_of_program "$(command -v java)")"
}

find_jdk() {
    search_jdk && return 0
    if is_root && is_debian && apt-cache show openjdk-25-jdk-headless >/dev/null 2>&1; then
        install_packages openjdk-25-jdk-headless && search_jdk && return 0
    fi
    say 'Ash requires a JDK 25 or later, but none was found.'
    say '  Debian, Ubuntu: apt-get install openjdk-25-jdk-headless (if available in your release)'
    say '  Fedora:         dnf install java-25-openjdk-devel'
    say '  macOS:          brew install openjdk@25'
    say '  anywhere:       unpack any JDK 25 and set ASH_JAVA to its directory'
    exit 1
}

need_maven() {
    has mvn && return 0
    is_root && is_debian && install_packages maven && return 0
    say 'Building Ash requires Maven 3.8 or later, but mvn is not on the PATH.'
    say '  Debian, Ubuntu: apt-get install maven      Fedora: dnf install maven'
    say '  macOS:          brew install maven'
    exit 1
}

# Installs Debian packages; prints the packages and, on failure, the end of the output.
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

# Installs missing packages for programs: need_packages bwrap:bubblewrap git:git. Failures are not
# fatal, because Ash can run without them.
need_packages() {
    local pair missing=''
    for pair in "$@"; do
        has "${pair%%:*}" || missing="$missing ${pair#*:}"
    done
    [ -n "$missing" ] || return 0
    [ "$(uname -s)" = Linux ] || return 0
    # shellcheck disable=SC2086 # split into package names
    if is_root && is_debian && install_packages $missing; then
        return 0
    fi
    say "not installed:$missing. Install them with your package manager (Debian, Ubuntu: apt-get install$missing)."
}

# Sets a UTF-8 locale, which non-ASCII characters in arguments and file names require.
use_utf8() {
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
        *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) ;;
        *) [[ ${OSTYPE:-} = darwin* ]] || export LC_ALL=C.UTF-8 ;;
    esac
}

# The cache directory; empty if there is none.
cache=''
find_cache() {
    local base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    cache=${base:+$base/ash}
}

# Prints an id for the build in $2 to be installed at $1: a directory per location and a name per
# build. It contains the time, because a JVM rejects a cache if the jars were replaced.
build_id() {
    printf '%s/%s-%s\n' "$(printf '%s' "$1" | cksum | tr -d ' ')" "$(date +%s)" \
        "$(cat "$2"/cli/*.jar | cksum | tr -d ' ')"
}
