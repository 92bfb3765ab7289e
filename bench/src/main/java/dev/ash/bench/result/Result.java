package dev.ash.bench.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The latest result of each benchmark, in the order of the catalog. */
public record Result(List<Measured> benchmarks) {
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .build();

    public Result {
        benchmarks = List.copyOf(benchmarks);
    }

    public static Result empty() {
        return new Result(List.of());
    }

    /** Reads a result; throws {@link IllegalArgumentException} if the file is not a result. */
    public static Result read(Path file) throws IOException {
        try {
            return MAPPER.readValue(Files.readString(file), Result.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "%s is not a result of ./ash bench: %s".formatted(file, e.getOriginalMessage()),
                    e);
        }
    }

    public String toJson() {
        return MAPPER.writeValueAsString(this) + "\n";
    }

    public Optional<Measured> find(String benchmark) {
        return benchmarks.stream().filter(m -> m.benchmark().equals(benchmark)).findFirst();
    }

    /** Replaces the results of the same benchmarks; the others stay. */
    public Result update(List<Measured> measured, List<String> order) {
        var all = new ArrayList<>(measured);
        for (var old : benchmarks) {
            if (measured.stream().noneMatch(m -> m.benchmark().equals(old.benchmark()))) {
                all.add(old);
            }
        }
        all.removeIf(m -> !order.contains(m.benchmark()));
        all.sort((a, b) -> order.indexOf(a.benchmark()) - order.indexOf(b.benchmark()));
        return new Result(all);
    }
}
