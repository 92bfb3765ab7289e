package dev.ash.server.secret;

import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.Transaction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A data directory with encrypted values in every table, opened as by a server. */
final class SealedDataFixture implements AutoCloseable {
    static final class SetClock extends Clock {
        private final AtomicLong now = new AtomicLong(1_800_000_000_000L);

        void advance(Duration time) {
            now.addAndGet(time.toMillis());
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(now.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    final SetClock clock = new SetClock();
    final Set<String> running = ConcurrentHashMap.newKeySet();
    private final Path directory;
    private final long maxRewrittenBytes;
    Sealer sealer;
    SealingKey key;
    private Database database;

    SealedDataFixture(Path directory) throws IOException {
        this(directory, SealedValueStore.MAX_REWRITTEN_BYTES);
    }

    SealedDataFixture(Path directory, long maxRewrittenBytes) throws IOException {
        this.directory = directory;
        this.maxRewrittenBytes = maxRewrittenBytes;
        open();
    }

    private void open() throws IOException {
        database = Database.open(directory.resolve("ash.db"));
        sealer = Sealer.open(keyFile(), new SecureRandom());
        clock.advance(Duration.ofSeconds(1));
        key =
                new SealingKey(
                        sealer,
                        new SealedValueStore(database, sealer, maxRewrittenBytes),
                        new SecureRandom(),
                        clock,
                        id -> running.contains(id.value()));
    }

    /** Reopens the directory as after a crash, without any state in memory. */
    void reopen() throws IOException {
        key.close();
        database.close();
        open();
    }

    Path keyFile() {
        return directory.resolve("sealing-key");
    }

    /** Inserts this many rows into each table; returns the plain values by id. */
    Map<String, String> fill(int rows) {
        var values = new TreeMap<String, String>();
        for (int i = 0; i < rows; i++) {
            values.put("a" + i, "environment " + i);
            values.put("c" + i, "credential " + i);
            values.put("s" + i, "settings " + "long ".repeat(i % 7) + i);
        }
        insert(values);
        return values;
    }

    private void insert(Map<String, String> values) {
        database.writer()
                .write(
                        transaction -> {
                            values.forEach(
                                    (id, value) ->
                                            write(transaction, insertStatement(id), id, value));
                            return true;
                        });
    }

    /** Selects the table by the first letter of the id. */
    private static String insertStatement(String id) {
        return switch (id.charAt(0)) {
            case 'a' ->
                    "INSERT INTO agents (id, tenant_id, name, version, path, env, config,"
                            + " created_at, updated_at) VALUES (:id, 'default', :id, 1, '/',"
                            + " :value, '{}', 0, 0)";
            case 's' ->
                    "INSERT INTO sessions (id, tenant_id, agent_id, agent_name,"
                            + " agent_version, sandbox_id, status, engine, permission_mode,"
                            + " settings, created_at, last_active_at) VALUES (:id, 'default',"
                            + " 'a', 'a', 1, :id, 'active', 'demo', 'ask', :value, 0, 0)";
            default ->
                    "INSERT INTO credentials (id, tenant_id, type, label, secret,"
                            + " created_at) VALUES (:id, 'default', 'openai', 'l', :value, 0)";
        };
    }

    void insert(String id, String value) {
        insert(Map.of(id, value));
    }

    /** Replaces a value, like a client. */
    void update(String id, String value) {
        write("UPDATE credentials SET secret = :value WHERE id = :id", id, value);
    }

    private int write(String statement, String id, String value) {
        return database.writer().write(transaction -> write(transaction, statement, id, value));
    }

    private int write(Transaction transaction, String statement, String id, String value) {
        return transaction
                .handle()
                .createUpdate(statement)
                .bind("id", id)
                .bind("value", sealer.seal(bytes(value)))
                .execute();
    }

    void damage(String id) {
        execute("UPDATE credentials SET secret = zeroblob(40) WHERE id = '%s'".formatted(id));
    }

    /** Inserts values that are larger than a page. */
    void fillOverflowPages() {
        var values = new TreeMap<String, String>();
        for (int i = 0; i < 10; i++) {
            values.put("s-large" + i, "large ".repeat(3000) + i);
        }
        insert(values);
    }

    /** Deletes rows to create free pages. */
    void deleteSome() {
        execute("DELETE FROM sessions WHERE id LIKE '%5'");
    }

    String sandbox(String state) {
        var id = UUID.randomUUID().toString();
        execute(
                ("INSERT INTO sandboxes (id, tenant_id, agent_name, state, workspace_dir, created_at,"
                                + " last_used_at, launched_at) VALUES ('%s', 'default', 'a', '%s', '/',"
                                + " 0, 0, %d)")
                        .formatted(id, state, clock.millis()));
        return id;
    }

    private void execute(String statement) {
        database.writer().write(transaction -> transaction.handle().execute(statement));
    }

    Map<String, String> read() {
        var all = new TreeMap<String, String>();
        sealed().forEach((id, value) -> all.put(id, text(sealer.unseal(value))));
        return all;
    }

    String readOne(String id) {
        return database.read(
                handle ->
                        handle.createQuery("SELECT secret FROM credentials WHERE id = :id")
                                .bind("id", id)
                                .map(row -> text(sealer.unseal(row.getBytes(1))))
                                .one());
    }

    private Map<String, byte[]> sealed() {
        var all = new TreeMap<String, byte[]>();
        for (var column : SealedValueStore.Column.values()) {
            database.read(
                            handle ->
                                    handle.createQuery(
                                                    "SELECT id, %s FROM %s"
                                                            .formatted(column.column, column.table))
                                            .map(
                                                    row ->
                                                            Map.entry(
                                                                    row.getString(1),
                                                                    row.getBytes(2)))
                                            .list())
                    .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        }
        return all;
    }

    /** Returns the beginnings of the encrypted values, which no overflow page splits. */
    List<byte[]> sealedBytes() {
        return sealed().values().stream()
                .map(value -> Arrays.copyOf(value, Math.min(40, value.length)))
                .toList();
    }

    /** Returns the values that are not encrypted with the current key. */
    long outdated() {
        var prefix = sealer.currentPrefix();
        return sealed().values().stream()
                .filter(value -> !Arrays.equals(prefix, Arrays.copyOf(value, prefix.length)))
                .count();
    }

    /** Returns the values that an old key file can decrypt. */
    List<String> decryptedWith(byte[] oldKey) {
        return sealed().values().stream()
                .flatMap(value -> Stream.of(0, 12).map(start -> tryDecrypt(oldKey, value, start)))
                .filter(Objects::nonNull)
                .toList();
    }

    private static @Nullable String tryDecrypt(byte[] key, byte[] value, int start) {
        try {
            var cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    new SecretKeySpec(key, "AES"),
                    new GCMParameterSpec(128, value, start, 12));
            cipher.updateAAD(value, 0, start);
            return text(cipher.doFinal(value, start + 12, value.length - start - 12));
        } catch (GeneralSecurityException e) {
            return null;
        }
    }

    /** Counts occurrences in the database files. */
    long foundInFiles(List<byte[]> values) throws IOException {
        var files = new StringBuilder();
        for (var name : List.of("ash.db", "ash.db-wal", "ash.db-shm")) {
            var file = directory.resolve(name);
            if (Files.exists(file)) { // ISO 8859-1 maps each byte to one character
                files.append(Files.readString(file, StandardCharsets.ISO_8859_1)).append('\n');
            }
        }
        return values.stream()
                .filter(value -> files.indexOf(new String(value, StandardCharsets.ISO_8859_1)) >= 0)
                .count();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        key.close();
        database.close();
    }
}
