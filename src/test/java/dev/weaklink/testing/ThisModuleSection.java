package dev.weaklink.testing;

import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.ThisModule;

/**
 * Writes {@code .gnu.linkonce.this_module}: struct module with the name after the state and the list pointers. Adds
 * relocations of the init and exit functions if the section is large enough.
 */
final class ThisModuleSection {
    private static final int NAME_FIELD = 64;

    private ThisModuleSection() {}

    /** Returns the smallest size of struct module that contains the two function pointers. */
    static int smallestWithFunctions(Machine machine) {
        return exitOffset(machine) + machine.wordSize();
    }

    static void write(ElfWriter elf, Machine machine, ThisModule module, ElfSymbol init, ElfSymbol exit) {
        if (module.presence() == Presence.ABSENT) {
            return;
        }
        long flags = ElfSection.SHF_WRITE;
        if (module.presence() != Presence.NOT_ALLOCATED) {
            flags |= ElfSection.SHF_ALLOC;
        }
        boolean empty = module.presence() == Presence.NOBITS;
        int type = empty ? ElfSection.SHT_NOBITS : ElfSection.SHT_PROGBITS;
        int copies = module.presence() == Presence.TWICE ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            ElfSection section = elf.section(".gnu.linkonce.this_module", type, flags, 64);
            fill(section, machine, module);
            if (!empty && module.size() >= smallestWithFunctions(machine)) {
                section.relocate(initOffset(machine), Relocation.Kind.WORD, init, 0);
                section.relocate(exitOffset(machine), Relocation.Kind.WORD, exit, 0);
            }
        }
    }

    private static void fill(ElfSection section, Machine machine, ThisModule module) {
        int size = module.size();
        int room = NAME_FIELD - machine.wordSize();
        ElfBytes content = section.content().zeros(nameOffset(machine)).field(module.name(), room);
        if (size < content.size()) {
            content.truncate(size);
        } else {
            content.zeros(size - content.size());
        }
    }

    private static int nameOffset(Machine machine) {
        return 3 * machine.wordSize();
    }

    private static int initOffset(Machine machine) {
        return nameOffset(machine) + NAME_FIELD;
    }

    private static int exitOffset(Machine machine) {
        return initOffset(machine) + 2 * machine.wordSize();
    }
}
