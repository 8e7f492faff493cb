package dev.weaklink.rules.yaml;

import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.testing.FuzzTarget;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A fuzz target for rule files. */
public final class RulesTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        Problems problems = new Problems("rules.yaml");
        RuleFileParser.parse(new String(bytes, StandardCharsets.UTF_8), problems);
        for (RuleProblem problem : problems.found()) {
            if (problem.message().isBlank() || problem.message().indexOf('\n') >= 0) {
                throw new IllegalStateException("not one line: " + problem.message());
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        return List.of("""
            products:
              mine:
                modules: [m, "n*"]
                link: always
            ignore:
              - module: x
                reason: old
            pin:
              - {module: y, version: "1"}
            """.getBytes(StandardCharsets.UTF_8));
    }
}
