package dev.ash.server.egress.model.request;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks whether a request may be sent to a provider. Never changes the body. */
final class RequestCheck {
    /** Also the maximum of Anthropic's API. */
    static final int MAX_BYTES = 32 * 1024 * 1024;

    private static final Pattern DATE_SUFFIX =
            Pattern.compile("_[0-9]{8}$|_[0-9]{4}_[0-9]{2}_[0-9]{2}$");

    /** For example {@code gpt-4o-search-preview}, or the suffix {@code :online} of routers. */
    private static final Pattern SEARCHING_MODEL =
            Pattern.compile(
                    "(?i)(?<![a-z0-9])(?:search|sonar|compound)(?![a-z0-9])|:online(?![a-z0-9])");

    private static final int MAX_UNKNOWN_PATHS = 100;
    private static final String DATA_URL = "data:";

    private final FormatTable table;
    private final Set<String> grantedTools;
    private final boolean strict;
    private final List<String> unknownPaths = new ArrayList<>();

    RequestCheck(FormatTable table, Collection<String> grantedTools, boolean strict) {
        this.table = table;
        this.grantedTools = Set.copyOf(grantedTools);
        this.strict = strict;
    }

    CheckedRequest check(byte[] body) throws RequestRejectedException {
        var request = ModelRequestBody.parse(body);
        check(request.root(), table.request(), "");
        return new CheckedRequest(unknownPaths, request.size());
    }

    private void check(Node node, Shape shape, String path) throws RequestRejectedException {
        switch (shape) {
            case Shape.Free() -> {}
            case Shape.Reference reference -> check(node, reference.shape(), path);
            case Shape.Plain() -> checkPlain(node, path);
            case Shape.TextOr(var otherwise) -> {
                if (!(node instanceof Node.Text)) {
                    check(node, otherwise, path);
                }
            }
            case Shape.ListOf(var element) -> checkList(node, element, path);
            case Shape.Fields fields -> checkFields(node, fields, "", path);
            case Shape.Typed typed -> checkTyped(node, typed, path);
            case Shape.Denied(var reason) -> {
                if (!(node instanceof Node.Null) && !node.equals(Node.FALSE)) {
                    throw RequestRejectedException.at(path, reason + "; no setting allows it");
                }
            }
            case Shape.MustBeFalse(var reason) -> {
                if (!node.equals(Node.FALSE)) {
                    throw RequestRejectedException.at(path, "must be false: " + reason);
                }
            }
            case Shape.OneOf(var values, var reason) -> {
                if (!(node instanceof Node.Text text
                        && values.stream().anyMatch(text::equalsText))) {
                    throw RequestRejectedException.at(
                            path, reason + "; expected " + String.join(" or ", values));
                }
            }
            case Shape.DataUrl() -> checkDataUrl(node, path);
            case Shape.Data() -> {
                // Base64 has no colon, but every URL has one.
                if (!(node instanceof Node.Text text && text.start().indexOf(':') < 0)) {
                    checkDataUrl(node, path);
                }
            }
            case Shape.ModelName() -> checkModelName(node, path);
            case Shape.RequiresGrant(var tool, var granted) -> {
                requireGranted(tool, path);
                check(node, granted, path);
            }
        }
    }

    private void checkPlain(Node node, String path) throws RequestRejectedException {
        switch (node) {
            case Node.Text text -> rejectUnpairedSurrogate(text, path);
            case Node.Obj _ -> checkUnknown(node, path);
            case Node.Arr(var elements) -> {
                for (int i = 0; i < elements.size(); i++) {
                    checkPlain(elements.get(i), path + "[" + i + "]");
                }
            }
            case Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private void checkModelName(Node node, String path) throws RequestRejectedException {
        checkPlain(node, path);
        if (node instanceof Node.Text text) {
            if (!text.whole() || text.start().contains("@preset/")) {
                throw RequestRejectedException.at(
                        path,
                        "must be the name of a model with at most %d characters, not a preset that"
                                        .formatted(Node.Text.MAX_KEPT)
                                + " the provider stores; no setting allows it");
            }
            if (SEARCHING_MODEL.matcher(text.start()).find()) {
                requireGranted(ProviderTools.WEB_SEARCH, path);
            }
        }
    }

    private void checkList(Node node, Shape element, String path) throws RequestRejectedException {
        if (node instanceof Node.Null) {
            return;
        }
        if (!(node instanceof Node.Arr(var elements))) {
            throw RequestRejectedException.at(path, "must be a list");
        }
        for (int i = 0; i < elements.size(); i++) {
            check(elements.get(i), element, path + "[" + i + "]");
        }
    }

    /** {@code key} is a field that is already checked. */
    private void checkFields(Node node, Shape.Fields shape, String key, String path)
            throws RequestRejectedException {
        if (node instanceof Node.Null) {
            return;
        }
        if (!(node instanceof Node.Obj(var present))) {
            throw RequestRejectedException.at(path, "must be an object");
        }
        for (var name : shape.required()) {
            if (!present.containsKey(name)) {
                throw RequestRejectedException.at(
                        path.isEmpty() ? name : path, "the field %s is required".formatted(name));
            }
        }
        for (var field : present.entrySet()) {
            var name = field.getKey();
            var childPath = childPath(path, name);
            var known = shape.fields().get(name);
            if (known != null) {
                check(field.getValue(), known, childPath);
            } else if (!name.equals(key)) {
                rejectOtherCase(shape, key, name, childPath);
                if (shape.closed()) {
                    throw RequestRejectedException.at(
                            childPath, "unknown field; no setting allows it");
                }
                UnknownValue.checkName(name, field.getValue(), childPath);
                checkUnknown(field.getValue(), childPath);
            }
        }
    }

    /** Rejects names that differ from a known one only in case: some parsers ignore the case. */
    private static void rejectOtherCase(Shape.Fields shape, String key, String name, String path)
            throws RequestRejectedException {
        for (var known : shape.fields().keySet()) {
            if (name.equalsIgnoreCase(known)) {
                throw RequestRejectedException.at(path, "the field name must be written " + known);
            }
        }
        if (name.equalsIgnoreCase(key)) {
            throw RequestRejectedException.at(path, "the field name must be written " + key);
        }
    }

    private void checkTyped(Node node, Shape.Typed shape, String path)
            throws RequestRejectedException {
        if (node instanceof Node.Null) {
            return;
        }
        if (!(node instanceof Node.Obj(var present))) {
            if (node instanceof Node.Text) {
                check(node, shape.ifAbsent(), path);
                return;
            }
            throw RequestRejectedException.at(path, "must be an object");
        }
        var value = present.get(shape.key());
        if (value == null || value instanceof Node.Null) {
            checkVariant(node, shape.ifAbsent(), shape.key(), path);
            return;
        }
        var childPath = childPath(path, shape.key());
        if (!(value instanceof Node.Text text)) {
            throw RequestRejectedException.at(childPath, "must be a string");
        }
        rejectUnpairedSurrogate(text, childPath);
        var found = find(shape, text);
        if (found != null) {
            checkVariant(node, found, shape.key(), path);
        } else if (shape.closed()) {
            throw RequestRejectedException.at(
                    childPath,
                    "unknown value \"%s\"; no setting allows it"
                            .formatted(RequestRejectedException.printable(text.start())));
        } else {
            checkUnknown(node, path);
        }
    }

    private static @Nullable Shape find(Shape.Typed shape, Node.Text text) {
        if (!text.whole()) {
            return null;
        }
        var exact = text.start().endsWith("_*") ? null : shape.values().get(text.start());
        var dated = DATE_SUFFIX.matcher(text.start());
        return exact == null && dated.find() ? shape.values().get(dated.replaceFirst("_*")) : exact;
    }

    private void checkVariant(Node node, Shape shape, String key, String path)
            throws RequestRejectedException {
        switch (shape) {
            case Shape.Fields fields -> checkFields(node, fields, key, path);
            case Shape.Denied(var reason) ->
                    throw RequestRejectedException.at(
                            childPath(path, key), reason + "; no setting allows it");
            case Shape.RequiresGrant(var tool, _) -> {
                requireGranted(tool, childPath(path, key));
                check(node, shape, path);
            }
            default -> check(node, shape, path);
        }
    }

    private void requireGranted(String tool, String path) throws RequestRejectedException {
        if (!grantedTools.contains(tool)) {
            throw RequestRejectedException.at(
                    path,
                    ("the provider would run the tool %1$s, which is not granted to this session; add it to"
                                    + " network.providerTools in .ash/agent.json%2$s and to ASH_PROVIDER_TOOLS of the"
                                    + " server")
                            .formatted(
                                    tool,
                                    tool.equals(ProviderTools.WEB_SEARCH)
                                            ? " (or WebSearch in permissions.allow of"
                                                    + " .claude/settings.json)"
                                            : ""));
        }
    }

    private static void checkDataUrl(Node node, String path) throws RequestRejectedException {
        boolean data =
                node instanceof Node.Null
                        || (node instanceof Node.Text text
                                && text.start()
                                        .regionMatches(true, 0, DATA_URL, 0, DATA_URL.length()));
        if (!data) {
            throw RequestRejectedException.at(
                    path,
                    "it makes the provider fetch a URL; send the data in a data: URL; no setting"
                            + " allows it");
        }
    }

    private void checkUnknown(Node node, String path) throws RequestRejectedException {
        if (strict) {
            throw RequestRejectedException.at(
                    path,
                    "unknown field or value, which the server rejects because of"
                            + " ASH_MODEL_REQUESTS=strict");
        }
        UnknownValue.check(node, path);
        if (unknownPaths.size() < MAX_UNKNOWN_PATHS) {
            unknownPaths.add(path);
        }
    }

    static void rejectUnpairedSurrogate(Node.Text text, String path)
            throws RequestRejectedException {
        if (text.unpairedSurrogate()) {
            throw RequestRejectedException.at(path, "the string contains an unpaired surrogate");
        }
    }

    static String childPath(String path, String name) {
        var printable = RequestRejectedException.printable(name);
        return path.isEmpty() ? printable : path + "." + printable;
    }
}
