package dev.ash.bench.paths;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.reflect.AccessFlag;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inserts a call of {@link EntryLog#enter} at the start of the methods of Ash. */
final class EntryTransform implements ClassFileTransformer {
    private static final ClassDesc LOG = ClassDesc.of(EntryLog.class.getName());
    private static final MethodTypeDesc ENTER =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
    private static final Set<String> OBJECT_METHODS = Set.of("equals", "hashCode", "toString");

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (loader == null
                || name == null
                || !name.startsWith("dev/ash/")
                || name.startsWith("dev/ash/bench/")) {
            return null;
        }
        try {
            return transform(loader, bytes);
        } catch (RuntimeException e) {
            System.err.println("path agent: " + name + " was not transformed: " + e);
            return null;
        }
    }

    private static byte[] transform(ClassLoader loader, byte[] bytes) {
        var classFile =
                ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(loader)));
        var model = classFile.parse(bytes);
        var type = Kind.of(model, parents(loader, model));
        var topLevel = topLevel(model.thisClass().asInternalName());
        return classFile.transformClass(
                model, (builder, element) -> transformElement(builder, element, topLevel, type));
    }

    /** The names of the superclasses, up to the first that is not of Ash. */
    private static List<String> parents(ClassLoader loader, ClassModel model) {
        var parents = new ArrayList<String>();
        for (var child = model; child.superclass().isPresent(); ) {
            var parent = child.superclass().get().asInternalName();
            parents.add(parent);
            if (!parent.startsWith("dev/ash/")) {
                break;
            }
            try (var in = loader.getResourceAsStream(parent + ".class")) {
                child = ClassFile.of().parse(Objects.requireNonNull(in, parent).readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return parents;
    }

    private static void transformElement(
            ClassBuilder builder, ClassElement element, String topLevel, Kind type) {
        if (element instanceof MethodModel method && method.code().isPresent()) {
            var kind = type == Kind.LOGIC ? Kind.of(method) : type;
            int number = EntryLog.add(topLevel + "\t" + kind);
            builder.transformMethod(method, MethodTransform.transformingCode(new Enter(number)));
        } else {
            builder.with(element);
        }
    }

    private static String topLevel(String internalName) {
        int end = internalName.indexOf('$');
        return (end < 0 ? internalName : internalName.substring(0, end)).replace('/', '.');
    }

    private record Enter(int method) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder code) {
            code.loadConstant(method).invokestatic(LOG, "enter", ENTER);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }

    /** The kind of a recorded entry. Only with {@link #LOGIC} the class counts as visited. */
    enum Kind {
        RECORD,
        ENUM,
        EXCEPTION,
        INTERFACE,
        /** Classes that extend a stream of {@code java.io}. */
        STREAM,
        /** Constructors, static initializers, and methods of {@code Object}. */
        CREATION,
        /** Methods that only return a field or a constant. */
        ACCESSOR,
        LOGIC;

        static Kind of(ClassModel model, List<String> parents) {
            if (model.flags().has(AccessFlag.INTERFACE)) {
                return INTERFACE;
            }
            var parent = parents.isEmpty() ? "" : parents.getLast();
            if (parent.equals("java/lang/Record")) {
                return RECORD;
            }
            if (parent.equals("java/lang/Enum") || model.flags().has(AccessFlag.ENUM)) {
                return ENUM;
            }
            if (parent.startsWith("java/io/")) {
                return STREAM;
            }
            return parent.endsWith("Exception") || parent.endsWith("Error") ? EXCEPTION : LOGIC;
        }

        static Kind of(MethodModel method) {
            var name = method.methodName().stringValue();
            if (name.startsWith("<") || OBJECT_METHODS.contains(name)) {
                return CREATION;
            }
            return method.code().orElseThrow().elementStream().allMatch(Kind::isTrivial)
                    ? ACCESSOR
                    : LOGIC;
        }

        private static boolean isTrivial(CodeElement element) {
            return !(element instanceof Instruction)
                    || element instanceof LoadInstruction
                    || element instanceof FieldInstruction
                    || element instanceof ConstantInstruction
                    || element instanceof ReturnInstruction;
        }
    }
}
