package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.sys.InputProblem;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

final class Recorded implements NodeVisitor {
    final Map<String, NodeInventory> nodes = new LinkedHashMap<>();
    final List<String> problems = new ArrayList<>();
    final List<String> remarks = new ArrayList<>();
    final Map<String, String> silent = new TreeMap<>();

    /** Reads a text, with a set of nodes that should answer. */
    static Recorded expecting(Set<String> nodes, String text) {
        Recorded recorded = new Recorded();
        Intake intake = new Intake(recorded, nodes);
        intake.read(Intake.STDIN, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        recorded.silent.putAll(intake.finish());
        return recorded;
    }

    static Recorded ofText(String text) {
        return ofBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    static Recorded ofBytes(byte[] bytes) {
        return ofStream(new ByteArrayInputStream(bytes), LineReader.MAX_LENGTH);
    }

    static Recorded ofStream(InputStream in, int maxLine) {
        Recorded recorded = new Recorded();
        Intake intake = new Intake(recorded, Set.of(), maxLine);
        intake.read(Intake.STDIN, in);
        recorded.silent.putAll(intake.finish());
        return recorded;
    }

    static Recorded ofFiles(Path... files) {
        Recorded recorded = new Recorded();
        Intake intake = new Intake(recorded, Set.of());
        for (Path file : files) {
            intake.read(file.toString(), InputStream.nullInputStream());
        }
        recorded.silent.putAll(intake.finish());
        return recorded;
    }

    @Override
    public void node(String name, NodeInventory inventory) {
        nodes.put(name, inventory);
    }

    @Override
    public void remark(InputProblem remark) {
        remarks.add(remark.subject() + ": " + remark.message());
    }

    @Override
    public void problem(InputProblem problem) {
        problems.add(problem.subject() + ": " + problem.message());
    }
}
