package dev.ash.server.http;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.lang.reflect.RecordComponent;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;

/** Makes record components without {@code @Nullable} required in Jackson. */
final class RequiredComponents extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    static boolean isRequired(RecordComponent component) {
        return !component.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    @Override
    public Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
        return component(member)
                .map(RequiredComponents::isRequired)
                .orElseGet(() -> super.hasRequiredMarker(config, member));
    }

    @Override
    public JsonSetter.Value findSetterInfo(MapperConfig<?> config, Annotated annotated) {
        var info = super.findSetterInfo(config, annotated);
        return component(annotated).filter(RequiredComponents::isRequired).isPresent()
                ? info.withValueNulls(Nulls.FAIL)
                : info;
    }

    private static Optional<RecordComponent> component(Annotated annotated) {
        if (annotated instanceof AnnotatedParameter parameter
                && parameter.getDeclaringClass().isRecord()) {
            var components = parameter.getDeclaringClass().getRecordComponents();
            if (components.length == parameter.getOwner().getParameterCount()) {
                return Optional.of(components[parameter.getIndex()]);
            }
        }
        return Optional.empty();
    }
}
