package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that no message for devices mentions the REST API, which a device cannot call. */
class DeviceErrorTextsTest {
    private static final Pattern REST =
            Pattern.compile(
                    "(?i)/api/|workingDirectory|whenBusy|Idempotency-Key|Authorization:|Bearer "
                            + "|Content-Type|Retry-After|Last-Event-ID"
                            + "|(?-i:\\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\\b)");

    private static final Pattern THROWN =
            Pattern.compile(
                    "(new ApiException|ApiException\\.invalid|new GitFailedException|new BadPathException)\\s*\\(");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
    private static final Pattern CODE = Pattern.compile("ErrorCode\\.([A-Z_]+)");

    /** A failure constructed in the sources: its code, or all codes if it is not literal. */
    private record Thrown(String where, List<ErrorCode> codes, String text, boolean isRendered) {
        private String shown(ErrorCode code) throws MalformedJsonException {
            return isRendered ? rendered(code, text) : text;
        }
    }

    private static String rendered(ErrorCode code, String text) throws MalformedJsonException {
        var request = new GatewayFrame("message", "msg-001", RawJson.of("{\"session_id\":\"x\"}"));
        return ErrorFrames.of(request, new ApiException(code, text))
                .fields()
                .requireString("message");
    }

    @Test
    void rendersEveryFailureOfServerWithoutRestApi() throws Exception {
        var thrown = new ArrayList<Thrown>();
        for (var module : List.of("protocol", "sandbox", "pair", "server")) {
            try (var files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    thrown.addAll(thrownIn(file));
                }
            }
        }
        assertThat(thrown).hasSizeGreaterThan(150);
        assertThat(thrown).anyMatch(each -> REST.matcher(each.text()).find());
        for (var each : thrown) {
            for (var code : each.codes()) {
                assertThat(each.shown(code))
                        .as("%s %s: %s", each.where(), code, each.text())
                        .isNotBlank()
                        .doesNotContainPattern(REST);
            }
        }
    }

    private static List<Thrown> thrownIn(Path file) throws IOException {
        var source = Files.readString(file);
        var found = new ArrayList<Thrown>();
        var matcher = THROWN.matcher(source);
        while (matcher.find()) {
            var call = call(source, matcher.end());
            var code = CODE.matcher(call);
            var codes =
                    code.find()
                            ? List.of(ErrorCode.valueOf(code.group(1)))
                            : List.of(ErrorCode.values());
            var text = text(call);
            if (!text.isEmpty()) {
                boolean isRendered = matcher.group().contains("ApiException");
                found.add(new Thrown(file.getFileName().toString(), codes, text, isRendered));
            }
        }
        return found;
    }

    /** Returns the text up to the closing parenthesis. */
    private static String call(String source, int begin) {
        int depth = 1;
        boolean quoted = false;
        for (int i = begin; i < source.length(); i++) {
            char c = source.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && c == '(') {
                depth++;
            } else if (!quoted && c == ')' && --depth == 0) {
                return source.substring(begin, i);
            }
        }
        return source.substring(begin);
    }

    private static String text(String call) {
        var literals =
                LITERAL.matcher(call)
                        .results()
                        .map(MatchResult::group)
                        .map(DeviceErrorTextsTest::value);
        return String.join(" ", literals.toList()).strip();
    }

    private static String value(String literal) {
        return literal.substring(1, literal.length() - 1)
                .replace("\\\"", "\"")
                .replaceAll("%[,0-9]*[sd]", "7")
                .strip();
    }

    @Test
    void gatewayContainsNoMessageAboutRestApi() throws Exception {
        try (var files = Files.walk(Path.of("src/main/java/dev/ash/server/gateway"))) {
            for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                if (file.endsWith("DeviceErrorTexts.java")) {
                    continue; // contains the words to replace
                }
                LITERAL.matcher(Files.readString(file))
                        .results()
                        .map(found -> found.group(1))
                        .filter(text -> text.contains(" "))
                        .forEach(
                                text ->
                                        assertThat(text)
                                                .as("%s", file)
                                                .doesNotContainPattern(REST));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void replacesTextsOnlyAboutRestApi(ErrorCode code) throws Exception {
        for (var text :
                List.of(
                        "POST /api/sessions/1/resume makes it active",
                        "Idempotency-Key: must be 1 to 255 visible ASCII characters",
                        "whenBusy: must be reject or queue",
                        "Content-Type: must be application/json")) {
            assertThat(rendered(code, text)).isNotBlank().doesNotContainPattern(REST);
            assertThat(DeviceErrorTexts.ofLogged("The turn failed. POST /api/x helps"))
                    .startsWith("The turn failed; ")
                    .doesNotContainPattern(REST);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    SESSION_NOT_ACTIVE | Session is paused; resume it with POST /api/sessions/1/resume | Session is paused; send session_start with its session_id and resume: true to continue it
                    SESSION_NOT_ACTIVE | Session is error: its engine died. POST …/resume makes it active | Session is error: its engine died; send session_start with its session_id and resume: true to continue it
                    SESSION_ENDED | Session has ended — create a new session | This session has ended; send session_start to start a new one
                    PATH_NOT_ALLOWED | workingDirectory: /etc is not below a folder of ASH_PROJECT_ROOTS | working_directory: /etc is not below a folder of ASH_PROJECT_ROOTS
                    PATH_NOT_ALLOWED | workingDirectory: /home/me/api/app is gone | working_directory: /home/me/api/app is gone
                    VALIDATION_FAILED | permissionMode: must be ask | mode: must be ask
                    """)
    void advisesWhatToSendNext(ErrorCode code, String text, String expected) throws Exception {
        assertThat(rendered(code, text)).isEqualTo(expected);
    }

    @Test
    void keepsTextsOfEngines() {
        var text = "API Error: 401 POST https://api.example.com Authorization failed";

        assertThat(DeviceErrorTexts.ofLogged(text)).isEqualTo(text);
    }
}
