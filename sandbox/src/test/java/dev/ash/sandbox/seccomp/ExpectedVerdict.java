package dev.ash.sandbox.seccomp;

import static dev.ash.sandbox.seccomp.Filter.EAFNOSUPPORT;
import static dev.ash.sandbox.seccomp.Filter.ENOSYS;
import static dev.ash.sandbox.seccomp.Filter.EPERM;
import static dev.ash.sandbox.seccomp.Filter.EPROTONOSUPPORT;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The verdict that the table and the rules for arguments require, computed without BPF. */
public final class ExpectedVerdict {
    public static final int ALLOW = Filter.ALLOW;

    private static final Set<Integer> PROTOCOLS = Set.of(0, 1, 6, 17, 58);

    private final Processor processor;
    private final Map<Integer, Rule> rules;

    public ExpectedVerdict(Processor processor) {
        this.processor = processor;
        this.rules =
                SystemCall.ALL.stream()
                        .filter(call -> call.number(processor).isPresent())
                        .collect(
                                Collectors.toMap(
                                        call -> call.number(processor).getAsInt(),
                                        SystemCall::rule));
    }

    /** Of each argument, the kernel uses the low 32 bits. */
    public int of(int number, int first, int second, int third) {
        boolean x32 = processor == Processor.X86_64 && (number < 0 || number >= 0x4000_0000);
        if (x32) {
            return EPERM;
        }
        return switch (rules.getOrDefault(number, Rule.ABSENT)) {
            case ALLOW -> ALLOW;
            case DENY -> EPERM;
            case ABSENT -> ENOSYS;
            case CLONE_FLAGS -> (first & 0x7E02_0000) == 0 ? ALLOW : EPERM;
            case UNSHARE_FLAGS -> (first & 0x7E02_0080) == 0 ? ALLOW : EPERM;
            case IOCTL_REQUESTS -> Set.of(0x5412, 0x541C, 0x5423).contains(second) ? EPERM : ALLOW;
            case PERSONALITY_VALUES -> first == 0 || first == -1 ? ALLOW : EPERM;
            case SOCKET_FAMILIES -> socket(first, second & 0xF, third);
        };
    }

    private static int socket(int family, int type, int protocol) {
        return switch (family) {
            case 1 -> ALLOW;
            case 2, 10 -> {
                if (type != 1 && type != 2) {
                    yield EPERM;
                }
                yield PROTOCOLS.contains(protocol) ? ALLOW : EPROTONOSUPPORT;
            }
            case 16 -> protocol == 0 ? ALLOW : EPROTONOSUPPORT;
            default -> EAFNOSUPPORT;
        };
    }
}
