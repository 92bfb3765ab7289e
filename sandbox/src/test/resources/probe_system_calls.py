"""Prints the verdict of the sandbox's filter for system calls without executing them.

A second filter, on one thread only, passes every call that carries a marker as its sixth argument to
a supervisor thread, which answers in place of the kernel. An error of the sandbox's filter takes
precedence over that, so a call returns ANSWER if and only if the sandbox's filter allows it.
"""
import ctypes, random, struct, sys, threading

MARKER, ANSWER = 0x5ECC0A11, 1516
SYS_SECCOMP, SYS_IOCTL = 317, 16
NOTIF_RECV, NOTIF_SEND = 0xC0502100, 0xC0182101

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(number, *arguments):
    arguments = [ctypes.c_long(a) for a in arguments + (0,) * (5 - len(arguments)) + (MARKER,)]
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return "allow" if result == ANSWER else str(ctypes.get_errno()) if result == -1 else "?%d" % result


def cases():
    for number in range(0, 1100):
        if number not in (335, 336):  # uretprobe, uprobe: kernels since 6.14 do not filter them
            yield number, 0, 0, 0
    for number in range(0, 600):
        yield 0x40000000 + number, 0, 0, 0
    for number in (-1, -2, -1000, 0x7FFFFFFF, -0x80000000):
        yield number, 0, 0, 0
    chance = random.Random(1)
    for _ in range(500):
        yield chance.randrange(-(2**31), 2**31), 0, 0, 0
    for create in (41, 53):  # socket, socketpair
        for family in list(range(0, 64)) + [-1, 255, 0x7FFFFFFF]:
            for kind in (1, 2, 3, 4, 5, 6, 10, 1 | 0x80800, 3 | 0x80000):
                for protocol in (0, 1, 6, 12, 16, 17, 33, 58, 132, 255, 262):
                    yield create, family, kind, protocol
        yield create, 0x100000028, 1, 0  # the kernel uses the low half
        yield create, 0x100000001, 1, 0
    for value in (0, 0xFFFFFFFF, -1, 8, 0x20000, 0x40000, 0x400000, 0x100040000):
        yield 135, value, 0, 0
    for bit in range(0, 32):
        yield 56, 1 << bit, 0, 0  # clone
        yield 272, 1 << bit, 0, 0  # unshare
    for request in (0x5412, 0x541C, 0x5423, 0x100005412, 0x5413, 0x5401):
        yield 16, 0, request, 0


def instruction(code, if_true, if_false, value):
    return struct.pack("HBBI", code, if_true, if_false, value)


ready = threading.Event()
listener = []


def probe():
    program = (instruction(0x20, 0, 0, 56) + instruction(0x15, 0, 1, MARKER)
               + instruction(0x06, 0, 0, 0x7FC00000) + instruction(0x06, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", 4, ctypes.addressof(code))
    listener.append(libc.syscall(SYS_SECCOMP, 1, 8, header))
    ready.set()
    if listener[0] < 0:
        sys.exit("cannot install the marker filter: error %d" % ctypes.get_errno())
    for case in cases():
        print(*case, call(*case))
    print("done")


worker = threading.Thread(target=probe, daemon=True)
worker.start()
ready.wait()


def supervise():
    while True:
        request = ctypes.create_string_buffer(80)
        if libc.syscall(SYS_IOCTL, listener[0], ctypes.c_ulong(NOTIF_RECV), request) == 0:
            answer = struct.pack("QqiI", struct.unpack_from("Q", request)[0], ANSWER, 0, 0)
            libc.syscall(SYS_IOCTL, listener[0], ctypes.c_ulong(NOTIF_SEND), answer)


threading.Thread(target=supervise, daemon=True).start()
worker.join()
