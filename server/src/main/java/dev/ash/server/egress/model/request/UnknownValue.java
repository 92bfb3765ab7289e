package dev.ash.server.egress.model.request;

import java.util.Set;

/**
 * Checks a value that no table knows. A later version of an engine may send it, so it passes unless
 * it names something outside the request.
 */
final class UnknownValue {
    /** Free text or data wherever they occur: a URL in a text is not fetched. */
    private static final Set<String> CONTENT =
            Set.of(
                    "text",
                    "content",
                    "thinking",
                    "signature",
                    "data",
                    "description",
                    "title",
                    "summary",
                    "instructions",
                    "encrypted_content");

    /** The same for whole objects. */
    private static final Set<String> FREE =
            Set.of("input", "arguments", "input_schema", "parameters", "schema", "metadata");

    static void checkName(String name, Node value, String path) throws RequestRejectedException {
        if (!Names.isPlain(name)) {
            throw RequestRejectedException.at(
                    path, "the name has characters that no field of this API has");
        }
        boolean absent = value instanceof Node.Null || value.equals(Node.FALSE);
        if (Names.namesSomethingOutside(name) && !absent) {
            throw RequestRejectedException.at(
                    path,
                    "Ash does not know this field, and its name stands for a URL, host, file,"
                            + " server or tool; no setting allows it");
        }
    }

    static void check(Node node, String path) throws RequestRejectedException {
        switch (node) {
            case Node.Text text -> {
                RequestCheck.requireWhole(text, path);
                if (Names.isReference(text.start())) {
                    throw RequestRejectedException.at(
                            path,
                            "Ash does not know this field, and its value is a URL, a host or an id"
                                    + " at the provider; no setting allows it");
                }
            }
            case Node.Arr(var elements) -> {
                for (int i = 0; i < elements.size(); i++) {
                    check(elements.get(i), path + "[" + i + "]");
                }
            }
            case Node.Obj(var fields) -> {
                for (var field : fields.entrySet()) {
                    field(field.getKey(), field.getValue(), path);
                }
            }
            case Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private static void field(String name, Node value, String path)
            throws RequestRejectedException {
        var below = RequestCheck.below(path, name);
        checkName(name, value, below);
        if (name.equalsIgnoreCase("type")
                && value instanceof Node.Text(var type, _, _, _)
                && Names.typeNamesSomethingOutside(type)) {
            throw RequestRejectedException.at(
                    below,
                    "\"%s\" is not known to Ash; no setting allows it"
                            .formatted(Names.printable(type)));
        }
        boolean content = CONTENT.contains(name) && value instanceof Node.Text;
        if (!content && !FREE.contains(name)) {
            check(value, below);
        }
    }

    private UnknownValue() {}
}
