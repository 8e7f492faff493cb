package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.Relocations.RelocatedField;
import dev.weaklink.module.Relocations.Value;
import dev.weaklink.testing.ExportFormat.Crcs;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleArbitraries;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Import;
import dev.weaklink.testing.ModuleSpec.Version;
import dev.weaklink.testing.SignatureTrailer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** Checks for every machine and layout that the written facts are read back. */
class ReadBackProperties {
    private static final int NAME_END_64 = 24 + 56;
    private static final int NAME_END_32 = 12 + 60;

    @Provide
    Arbitrary<ModuleSpec> modules() {
        return ModuleArbitraries.modules();
    }

    @Property
    void identity(@ForAll("modules") ModuleSpec spec) {
        Machine machine = spec.machine();

        assertThat(read(spec).elf())
                .isEqualTo(new ElfIdentity(
                        machine.number(), machine.is64(), machine.order() == ByteOrder.LITTLE_ENDIAN, machine.flags()));
    }

    @Property
    void structModule(@ForAll("modules") ModuleSpec spec) {
        KernelModule module = read(spec);
        int nameEnd = spec.machine().is64() ? NAME_END_64 : NAME_END_32;
        boolean hasName = spec.thisModule().size() >= nameEnd;

        assertThat(module.structSize()).isEqualTo(spec.thisModule().size());
        assertThat(module.structName()).isEqualTo(hasName ? spec.thisModule().name() : null);
        assertThat(module.name()).isEqualTo(spec.thisModule().name());
    }

    @Property
    void modInfo(@ForAll("modules") ModuleSpec spec) {
        assertThat(read(spec).modInfo()).isEqualTo(new ModInfo(spec.modInfo().entries(), true, true));
    }

    @Property
    void imports(@ForAll("modules") ModuleSpec spec) {
        Imports imports = read(spec).imports();
        List<Import> seen = new ArrayList<>();
        for (int i = 0; i < imports.names().size(); i++) {
            seen.add(new Import(imports.names().name(i), imports.weak().get(i)));
        }

        assertThat(seen).isEqualTo(spec.importsAsLoaded());
    }

    @Property
    void versions(@ForAll("modules") ModuleSpec spec) {
        VersionTable table = read(spec).versions();

        assertThat(entries(table)).isEqualTo(spec.versionsAsLoaded());
        assertThat(table == null).isEqualTo(spec.versions() == null);
        if (table != null && spec.versions() != null) {
            assertThat(table.layout().name()).isEqualTo(spec.versions().layout().name());
        }
    }

    @Property
    void extendedVersions(@ForAll("modules") ModuleSpec spec) {
        VersionTable table = read(spec).extendedVersions();

        assertThat(entries(table)).isEqualTo(spec.extendedVersionsAsLoaded());
        assertThat(table == null).isEqualTo(spec.extendedVersions() == null);
    }

    @Property
    void exports(@ForAll("modules") ModuleSpec spec) {
        Exports exports = read(spec).exports();
        List<Export> expected = spec.exportsInTableOrder();
        Set<Export.Table> gplTables = Set.of(Export.Table.GPL, Export.Table.UNUSED_GPL);
        BitSet gplOnly = new BitSet();
        BitSet hasCrc = new BitSet();
        for (int i = 0; i < expected.size(); i++) {
            gplOnly.set(i, gplTables.contains(expected.get(i).table()));
            hasCrc.set(i, spec.exportFormat().crcs() != Crcs.NONE);
        }

        assertThat(names(exports.names()))
                .isEqualTo(expected.stream().map(Export::name).toList());
        assertThat(Arrays.asList(exports.namespaces()))
                .isEqualTo(expected.stream().map(Export::namespace).toList());
        assertThat(exports.gplOnly()).isEqualTo(gplOnly);
        assertThat(exports.hasCrc()).isEqualTo(hasCrc);
        if (spec.exportFormat().crcs() != Crcs.NONE) {
            assertThat(exports.crcs()).containsExactly(crcs(expected));
        }
    }

    @Property
    void signature(@ForAll("modules") ModuleSpec spec) {
        ModuleSignature signature = read(spec).signature();
        SignatureTrailer.Descriptor descriptor = spec.trailer().descriptor();

        assertThat(signature.kind()).isEqualTo(kind(descriptor));
        assertThat(signature.length()).isEqualTo(descriptor == null ? 0 : descriptor.signatureLength());
    }

    @Property
    void relocationTypesOfX86(@ForAll("modules") ModuleSpec spec) {
        Relocations relocations = read(spec).relocations();
        Set<Integer> types = new TreeSet<>();
        relocations.types().stream().forEach(types::add);

        if (spec.machine() == Machine.X86_64) {
            assertThat(types).isEqualTo(spec.relocationTypes());
            assertThat(relocations.uses())
                    .allMatch(use -> use.place() == RelocatedField.FREE && use.value() == Value.FITS);
        }
    }

    @Property
    void builtModulesHaveNoDefects(@ForAll("modules") ModuleSpec spec) {
        assertThat(read(spec).defects()).isEmpty();
    }

    @Property
    void relocationsMayBeReadLater(@ForAll("modules") ModuleSpec spec) {
        byte[] bytes = spec.toBytes();

        KernelModule first = ModuleReader.readWithoutRelocations(Origin.file("m.ko"), bytes, bytes.length);

        assertThat(first.relocations().examined()).isFalse();
        assertThat(Facts.of(first.with(ModuleReader.readRelocations(bytes, bytes.length))))
                .isEqualTo(Facts.of(read(spec)));
    }

    @Property
    void ignoresBytesBehindTheModule(@ForAll("modules") ModuleSpec spec) {
        byte[] bytes = spec.toBytes();
        byte[] longer = Arrays.copyOf(bytes, bytes.length * 2);
        Arrays.fill(longer, bytes.length, longer.length, (byte) 0x5a);

        KernelModule module = ModuleReader.read(Origin.file("m.ko"), longer, bytes.length);

        assertThat(Facts.of(module)).isEqualTo(Facts.of(read(spec)));
    }

    private static KernelModule read(ModuleSpec spec) {
        byte[] bytes = spec.toBytes();
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }

    private static List<Version> entries(@Nullable VersionTable table) {
        List<Version> entries = new ArrayList<>();
        for (int i = 0; table != null && i < table.names().size(); i++) {
            entries.add(new Version(table.names().name(i), table.crcs()[i]));
        }
        return entries;
    }

    private static List<String> names(SymbolNames names) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            texts.add(names.name(i));
        }
        return texts;
    }

    private static int[] crcs(List<Export> exports) {
        return exports.stream().mapToInt(e -> e.crc() == null ? 0 : e.crc()).toArray();
    }

    private static ModuleSignature.SignatureKind kind(SignatureTrailer.@Nullable Descriptor descriptor) {
        if (descriptor == null) {
            return ModuleSignature.SignatureKind.UNSIGNED;
        }
        return switch (descriptor.idType()) {
            case SignatureTrailer.PGP -> ModuleSignature.SignatureKind.PGP;
            case SignatureTrailer.X509 -> ModuleSignature.SignatureKind.X509;
            default -> ModuleSignature.SignatureKind.PKCS7;
        };
    }
}
