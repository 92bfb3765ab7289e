package dev.ash.server.egress.model.request;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Decides whether a request may be sent to a provider. It never changes the body. */
final class RequestCheck {
    /** The largest request that Anthropic accepts, too. */
    static final int MAX_BYTES = 32 * 1024 * 1024;

    private static final Pattern DATE = Pattern.compile("_[0-9]{8}$|_[0-9]{4}_[0-9]{2}_[0-9]{2}$");
    private static final int MAX_LISTED = 100;
    private static final String DATA_URL = "data:";

    private final ProviderTable table;
    private final Set<String> granted;
    private final boolean strict;
    private final List<String> unknown = new ArrayList<>();

    RequestCheck(ProviderTable table, Collection<String> granted, boolean strict) {
        this.table = table;
        this.granted = Set.copyOf(granted);
        this.strict = strict;
    }

    CheckedRequest run(byte[] body) throws RequestRejectedException {
        var request = ModelRequestBody.parse(body);
        check(request.root(), table.request(), "");
        return new CheckedRequest(unknown, request.size());
    }

    private void check(Node node, Shape shape, String path) throws RequestRejectedException {
        switch (shape) {
            case Shape.Free() -> {}
            case Shape.Later later -> check(node, later.shape(), path);
            case Shape.Plain() -> plain(node, path);
            case Shape.TextOr(var otherwise) -> {
                if (!(node instanceof Node.Text)) {
                    check(node, otherwise, path);
                }
            }
            case Shape.ListOf(var element) -> list(node, element, path);
            case Shape.Fields fields -> fields(node, fields, "", path);
            case Shape.Typed typed -> typed(node, typed, path);
            case Shape.Denied(var why) -> {
                if (!(node instanceof Node.Null) && !node.equals(Node.FALSE)) {
                    throw RequestRejectedException.at(path, why + "; no setting allows it");
                }
            }
            case Shape.MustBeFalse(var why) -> {
                if (!node.equals(Node.FALSE)) {
                    throw RequestRejectedException.at(path, "it must be false: " + why);
                }
            }
            case Shape.OneOf(var values, var why) -> {
                if (!(node instanceof Node.Text text && values.stream().anyMatch(text::is))) {
                    throw RequestRejectedException.at(
                            path, why + "; expected " + String.join(" or ", values));
                }
            }
            case Shape.DataUrl() -> dataUrl(node, path);
            case Shape.Granted(var tool, var inside) -> {
                requireGranted(tool, path);
                check(node, inside, path);
            }
        }
    }

    private void plain(Node node, String path) throws RequestRejectedException {
        switch (node) {
            case Node.Text text -> requireWhole(text, path);
            case Node.Obj _ -> unknown(node, path);
            case Node.Arr(var elements) -> {
                for (int i = 0; i < elements.size(); i++) {
                    plain(elements.get(i), path + "[" + i + "]");
                }
            }
            case Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private void list(Node node, Shape element, String path) throws RequestRejectedException {
        if (node instanceof Node.Null) {
            return;
        }
        if (!(node instanceof Node.Arr(var elements))) {
            throw RequestRejectedException.at(path, "it must be a list");
        }
        for (int i = 0; i < elements.size(); i++) {
            check(elements.get(i), element, path + "[" + i + "]");
        }
    }

    /** {@code key}: a field that was checked before. */
    private void fields(Node node, Shape.Fields shape, String key, String path)
            throws RequestRejectedException {
        if (node instanceof Node.Null) {
            return;
        }
        if (!(node instanceof Node.Obj(var present))) {
            throw RequestRejectedException.at(path, "it must be an object");
        }
        for (var name : shape.required()) {
            if (!present.containsKey(name)) {
                throw RequestRejectedException.at(
                        path.isEmpty() ? name : path, "it needs the field " + name);
            }
        }
        for (var field : present.entrySet()) {
            var name = field.getKey();
            var below = below(path, name);
            var known = shape.fields().get(name);
            if (known != null) {
                check(field.getValue(), known, below);
            } else if (!name.equals(key)) {
                requireOtherThan(shape, key, name, below);
                UnknownValue.checkName(name, field.getValue(), below);
                unknown(field.getValue(), below);
            }
        }
    }

    /** Some parsers take letters of the other case for the same. */
    private static void requireOtherThan(Shape.Fields shape, String key, String name, String path)
            throws RequestRejectedException {
        for (var known : shape.fields().keySet()) {
            if (name.equalsIgnoreCase(known)) {
                throw RequestRejectedException.at(path, "the name must be written " + known);
            }
        }
        if (name.equalsIgnoreCase(key)) {
            throw RequestRejectedException.at(path, "the name must be written " + key);
        }
    }

    private void typed(Node node, Shape.Typed shape, String path) throws RequestRejectedException {
        if (node instanceof Node.Null) {
            return;
        }
        if (!(node instanceof Node.Obj(var present))) {
            if (node instanceof Node.Text) {
                check(node, shape.without(), path);
                return;
            }
            throw RequestRejectedException.at(path, "it must be an object");
        }
        var value = present.get(shape.key());
        if (value == null || value instanceof Node.Null) {
            inside(node, shape.without(), shape.key(), path);
            return;
        }
        var below = below(path, shape.key());
        if (!(value instanceof Node.Text text)) {
            throw RequestRejectedException.at(below, "it must be a string");
        }
        requireWhole(text, below);
        var found = find(shape, text);
        if (found != null) {
            inside(node, found, shape.key(), path);
        } else if (shape.closed()) {
            throw RequestRejectedException.at(
                    below,
                    "\"%s\" is not known to Ash; no setting allows it"
                            .formatted(RequestRejectedException.printable(text.start())));
        } else {
            unknown(node, path);
        }
    }

    private static @Nullable Shape find(Shape.Typed shape, Node.Text text) {
        if (!text.whole()) {
            return null;
        }
        var exact = text.start().endsWith("_*") ? null : shape.values().get(text.start());
        var dated = DATE.matcher(text.start());
        return exact == null && dated.find() ? shape.values().get(dated.replaceFirst("_*")) : exact;
    }

    private void inside(Node node, Shape shape, String key, String path)
            throws RequestRejectedException {
        switch (shape) {
            case Shape.Fields fields -> fields(node, fields, key, path);
            case Shape.Denied(var why) ->
                    throw RequestRejectedException.at(
                            below(path, key), why + "; no setting allows it");
            case Shape.Granted(var tool, _) -> {
                requireGranted(tool, below(path, key));
                check(node, shape, path);
            }
            default -> check(node, shape, path);
        }
    }

    private void requireGranted(String tool, String path) throws RequestRejectedException {
        if (!granted.contains(tool)) {
            throw RequestRejectedException.at(
                    path,
                    ("the provider would run the tool %1$s, which this session may not use; name it in"
                                    + " network.providerTools of .ash/agent.json%2$s, and in ASH_PROVIDER_TOOLS of"
                                    + " the server")
                            .formatted(
                                    tool,
                                    tool.equals(ProviderTools.WEB_SEARCH)
                                            ? " (or WebSearch in permissions.allow of"
                                                    + " .claude/settings.json)"
                                            : ""));
        }
    }

    private static void dataUrl(Node node, String path) throws RequestRejectedException {
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

    private void unknown(Node node, String path) throws RequestRejectedException {
        if (strict) {
            throw RequestRejectedException.at(
                    path,
                    "Ash does not know it; ASH_MODEL_REQUESTS=strict of the server rejects what is"
                            + " not known");
        }
        UnknownValue.check(node, path);
        if (unknown.size() < MAX_LISTED) {
            unknown.add(path);
        }
    }

    static void requireWhole(Node.Text text, String path) throws RequestRejectedException {
        if (text.loneSurrogate()) {
            throw RequestRejectedException.at(path, "the string has half of a surrogate pair");
        }
    }

    static String below(String path, String name) {
        var printable = RequestRejectedException.printable(name);
        return path.isEmpty() ? printable : path + "." + printable;
    }
}
