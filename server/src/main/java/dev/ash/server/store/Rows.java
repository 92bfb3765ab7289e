package dev.ash.server.store;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The rows of a query as values. Each method executes the query and reads its rows. */
public final class Rows<T> {
    private final Query query;
    private final Query.RowMapper<T> mapper;

    Rows(Query query, Query.RowMapper<T> mapper) {
        this.query = query;
        this.mapper = mapper;
    }

    public List<T> list() {
        return read(Integer.MAX_VALUE);
    }

    public Set<T> set() {
        return new LinkedHashSet<>(list());
    }

    /** Returns the only row; fails if there is another number of rows. */
    public T one() {
        var rows = read(2);
        if (rows.size() != 1) {
            throw new IllegalStateException(
                    "expected one row, got " + (rows.isEmpty() ? "none" : "more"));
        }
        return rows.getFirst();
    }

    /** Returns the only row, if there is one and it is not null; fails if there are several. */
    public Optional<T> findOne() {
        var rows = read(2);
        if (rows.size() > 1) {
            throw new IllegalStateException("expected at most one row, got more");
        }
        return rows.isEmpty() ? Optional.empty() : Optional.ofNullable(rows.getFirst());
    }

    /** Returns the first row, if there is one and it is not null. */
    public Optional<T> findFirst() {
        var rows = read(1);
        return rows.isEmpty() ? Optional.empty() : Optional.ofNullable(rows.getFirst());
    }

    /** Returns the first present result of the function, and reads no further rows. */
    public <R> Optional<R> findFirst(Function<T, Optional<R>> function) {
        return query.read(
                rows -> {
                    while (rows.next()) {
                        var result = function.apply(mapper.map(rows));
                        if (result.isPresent()) {
                            return result;
                        }
                    }
                    return Optional.empty();
                });
    }

    private List<T> read(int limit) {
        return query.read(
                rows -> {
                    var values = new ArrayList<T>();
                    while (values.size() < limit && rows.next()) {
                        values.add(mapper.map(rows));
                    }
                    return values;
                });
    }
}
