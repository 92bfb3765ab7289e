package dev.ash.e2e.crash;

import java.util.ArrayList;
import java.util.List;

/**
 * A session of a run and what is expected of it.
 *
 * @param prompts that it was sent, in their order
 * @param effects the lines that its commands must have written, in their order
 */
record Subject(String id, String sandbox, Watch watch, List<String> prompts, List<String> effects) {
    Subject(String id, String sandbox, Watch watch) {
        this(id, sandbox, watch, new ArrayList<>(), new ArrayList<>());
    }

    String path() {
        return "/api/sessions/" + id;
    }
}
