package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.NodeLines;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

public final class IntakeTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        Intake intake = new Intake(new Listening(), Set.of(), 1 << 16);
        intake.read(Intake.STDIN, new ByteArrayInputStream(bytes));
        intake.finish();
    }

    private static final class Listening implements NodeVisitor {
        @Override
        public void node(String name, NodeInventory inventory) {
            if (name.isEmpty()) {
                throw new IllegalStateException("a node without a name");
            }
        }

        @Override
        public void problem(InputProblem problem) {
            if (problem.message().isBlank()) {
                throw new IllegalStateException("a problem without words");
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        String line = new NodeLines("6.1.0-9")
                .kernel("6.1.0-9")
                .module("6.1.0-9", "m", "ABC")
                .line("n1");
        String bare =
                new NodeLines("6.1.0-9").kernel("6.1.0-9").loaded("m", "ABC").line(null);
        return List.of(
                text(line + "\n"),
                text("n1: " + bare + "\nn2: " + bare + "\n"),
                text("---------------\nn[1-3]\n---------------\n" + bare + "\n"),
                text("n1 | CHANGED | rc=0 >>\n" + bare + "\n"),
                text("[pod/a-b/c] " + bare + "\n"),
                text("{\n \"plays\": [{\"tasks\":[{\"hosts\":{\"n1\":{\"stdout\":\"x\"}}}]}]\n}\n"));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
