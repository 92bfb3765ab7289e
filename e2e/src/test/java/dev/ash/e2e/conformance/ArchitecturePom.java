package dev.ash.e2e.conformance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** Reads the dependencies of a module from its {@code pom.xml}. */
record ArchitecturePom(String module, Element project) {
    /** One entry of {@code <dependencies>}; the default scope is {@code compile}. */
    record Dependency(String artifact, String scope) {
        boolean isForMain() {
            return !scope.equals("test") && !scope.equals("provided");
        }
    }

    static ArchitecturePom of(String module) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        var file = Path.of("..", module, "pom.xml").toFile();
        return new ArchitecturePom(
                module, factory.newDocumentBuilder().parse(file).getDocumentElement());
    }

    /** Returns the dependencies of the main code, without those of tests and javac. */
    List<String> dependencies() {
        return declared().stream().filter(Dependency::isForMain).map(Dependency::artifact).toList();
    }

    /** Returns the modules of Ash among the dependencies. */
    List<String> modules() {
        return dependencies().stream().filter(name -> name.startsWith("ash-")).toList();
    }

    List<Dependency> declared() {
        var found = new ArrayList<Dependency>();
        for (var list : children(project, "dependencies")) {
            for (var dependency : children(list, "dependency")) {
                var scope = text(dependency, "scope");
                found.add(
                        new Dependency(
                                text(dependency, "artifactId"),
                                scope.isEmpty() ? "compile" : scope));
            }
        }
        return found;
    }

    /** Returns the {@code <module>} entries of the parent in build order. */
    List<String> built() {
        return children(children(project, "modules").getFirst(), "module").stream()
                .map(Node::getTextContent)
                .toList();
    }

    private static String text(Element parent, String name) {
        var found = children(parent, name);
        return found.isEmpty() ? "" : found.getFirst().getTextContent().strip();
    }

    private static List<Element> children(Element parent, String name) {
        var found = new ArrayList<Element>();
        var nodes = parent.getChildNodes();
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i) instanceof Element child && child.getTagName().equals(name)) {
                found.add(child);
            }
        }
        return found;
    }
}
