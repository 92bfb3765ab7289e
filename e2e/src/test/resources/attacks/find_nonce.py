"""Searches all data of the sandbox that this process can read for a text; the argument is the reversed text."""
import os, re, sys

word = sys.argv[1][::-1].encode()
me = os.getpid()
looked = {"environ": 0, "cmdline": 0, "descriptor": 0, "memory": 0, "file": 0}


def look(kind, where, data):
    looked[kind] += 1
    if word in data:
        print("FOUND in %s %s" % (kind, where))


def content(path, limit=1 << 20):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, limit)
    finally:
        os.close(descriptor)


for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
    folder = "/proc/%d/" % pid
    for kind in ("environ", "cmdline"):
        try:
            look(kind, pid, content(folder + kind))
        except OSError:
            pass
    if pid == me:
        continue
    try:
        for number in os.listdir(folder + "fd"):
            try:
                look("descriptor", folder + number, content(folder + "fd/" + number))
            except OSError:
                pass
    except OSError:
        pass
    try:
        regions = re.findall(r"^(\w+)-(\w+) r", open(folder + "maps").read(), re.M)
        memory = open(folder + "mem", "rb", 0)
    except OSError:
        continue
    for start, end in regions:
        start, end = int(start, 16), int(end, 16)
        try:
            memory.seek(start)
            look("memory", pid, memory.read(min(end - start, 1 << 24)))
        except (OSError, ValueError, OverflowError):
            pass
for top in ("/tmp", "/home", "/workspace", "/run", "/dev/shm", "/opt/ash"):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                try:
                    look("file", path, content(path, 1 << 24))
                except OSError:
                    pass
print("looked", looked)
