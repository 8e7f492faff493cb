package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import dev.weaklink.system.ModuleSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The facts of several module files, including their relocations. */
public final class ModuleBatch {
    private final ModuleFacts facts;

    private ModuleBatch(ModuleFacts facts) {
        this.facts = facts;
    }

    public static ModuleBatch read(List<ModuleSource> files, ReadOptions options) {
        ModuleFacts facts = ModuleFacts.read(ModuleFacts.inputs(files), options);
        BitSet left = new BitSet();
        for (int i = 0; i < facts.size(); i++) {
            KernelModule module = facts.module(i);
            left.set(i, module != null && !module.relocations().examined());
        }
        facts.examine(left, new BitSet(), -1);
        return new ModuleBatch(facts);
    }

    int size() {
        return facts.size();
    }

    /** Returns the facts of a file; for an unreadable file, only its path. */
    public KernelModule module(int index) {
        KernelModule module = facts.module(index);
        return module == null ? KernelModule.unread(facts.source(index).origin()) : module;
    }

    public List<KernelModule> provenOn(InstalledTarget view) {
        SignatureCheck.Proofs proofs = SignatureCheck.run(view.keys(), facts);
        List<KernelModule> modules = new ArrayList<>(facts.size());
        for (int i = 0; i < facts.size(); i++) {
            modules.add(proofs.applied(i, module(i)));
        }
        return modules;
    }

    void again(BitSet wanted, RepeatedReading.Visitor visitor) {
        facts.again(wanted, visitor);
    }

    public @Nullable String failure(int index) {
        return facts.failure(index);
    }
}
