package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The types and exports of one of the two compared kernels.
 *
 * @param types the types of vmlinux
 * @param modules the types of the kernel's modules from which the examined module imports symbols, each based on the
 *     types of vmlinux
 * @param exports the exports of vmlinux and all modules
 */
public record KernelSide(TypeGraph types, List<TypeGraph> modules, ExportTable exports) {
    public KernelSide {
        modules = List.copyOf(modules);
    }

    record Definition(TypeGraph graph, int type) {
        Btf btf() {
            return graph.btf();
        }

        long fingerprint() {
            return graph.fingerprint(type);
        }
    }

    boolean exports(String symbol) {
        return exports.find(symbol) >= 0;
    }

    @Nullable
    Definition prototype(String symbol) {
        Definition found = prototype(types, symbol);
        for (int i = 0; found == null && i < modules.size(); i++) {
            found = prototype(modules.get(i), symbol);
        }
        return found;
    }

    private static @Nullable Definition prototype(TypeGraph graph, String symbol) {
        Integer declared = graph.declared(symbol);
        boolean function = declared != null && graph.btf().kind(declared) == BtfKind.FUNC_PROTO;
        return declared == null || !function ? null : new Definition(graph, declared);
    }

    /**
     * Returns the structs and unions of the given names, such as {@code struct device}: up to two different definitions
     * of each name. Types of modules are only used if vmlinux has no type of that name.
     */
    Map<String, List<Definition>> named(Set<String> titles) {
        Map<String, List<Definition>> all = new HashMap<>();
        add(types, 1, titles, all);
        Set<String> known = Set.copyOf(all.keySet());
        for (TypeGraph module : modules) {
            Map<String, List<Definition>> own = new HashMap<>();
            add(module, module.first(), titles, own);
            own.forEach((title, definitions) -> {
                if (!known.contains(title)) {
                    definitions.forEach(one -> addOther(title, one, all));
                }
            });
        }
        return all;
    }

    private static void add(TypeGraph graph, int first, Set<String> titles, Map<String, List<Definition>> all) {
        Btf btf = graph.btf();
        for (int id = first; id < btf.size(); id++) {
            if (btf.kind(id).isComposite() && btf.isNamed(id)) {
                String title = TypeText.tag(btf.kind(id)) + " " + btf.name(id);
                if (titles.contains(title)) {
                    addOther(title, new Definition(graph, id), all);
                }
            }
        }
    }

    private static void addOther(String title, Definition one, Map<String, List<Definition>> all) {
        List<Definition> known = all.computeIfAbsent(title, key -> new ArrayList<>(1));
        if (known.size() < 2 && known.stream().noneMatch(other -> other.fingerprint() == one.fingerprint())) {
            known.add(one);
        }
    }
}
