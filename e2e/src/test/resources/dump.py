"""Writes all readable files and process data, except system programs, to the workspace.

It does not write the memory of other processes, but searches it for texts that look like keys
and writes those.
"""
import os
import re

SKIPPED = ("/proc", "/sys", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt/ash", "/dev", "/workspace")
KEY = re.compile(rb"(?:sk-a[n]t|sk-o[p]enai|AI[z]a)-[a-z-]*canary[0-9a-f-]*")
MAX_BYTES = 8 * 1024 * 1024


def files():
    for directory, subdirectories, names in os.walk("/"):
        subdirectories[:] = [
            name for name in subdirectories if os.path.join(directory, name) not in SKIPPED]
        for name in names:
            yield os.path.join(directory, name)


def processes():
    return [name for name in os.listdir("/proc") if name.isdigit()]


def copy(path, out):
    try:
        if path.startswith("/proc") or (os.path.isfile(path) and os.path.getsize(path) < MAX_BYTES):
            with open(path, "rb") as source:
                out.write(path.encode() + b"\n" + source.read().replace(b"\0", b"\n") + b"\n")
    except OSError as e:
        out.write(("%s: %s\n" % (path, e)).encode())


def search(process, out):
    try:
        with open("/proc/%s/maps" % process) as maps, open("/proc/%s/mem" % process, "rb") as memory:
            for line in maps:
                if " rw" not in line or "[v" in line:
                    continue
                begin, end = (int(number, 16) for number in line.split()[0].split("-"))
                try:
                    memory.seek(begin)
                    for found in KEY.findall(memory.read(min(end - begin, 64 * 1024 * 1024))):
                        out.write(found + b"\n")
                except (OSError, ValueError, OverflowError):
                    pass
            out.write(("searched %s\n" % process).encode())
    except OSError as e:
        out.write(("%s: %s\n" % (process, e)).encode())


with open("dump.txt", "wb") as dump:
    for variable in os.environ.items():
        dump.write(("%s=%s\n" % variable).encode())
    for process in processes():
        for name in ("environ", "cmdline", "status", "mounts"):
            copy("/proc/%s/%s" % (process, name), dump)
    for file in files():
        copy(file, dump)
with open("memory.txt", "wb") as found:
    for process in processes():
        if process != str(os.getpid()):
            search(process, found)
