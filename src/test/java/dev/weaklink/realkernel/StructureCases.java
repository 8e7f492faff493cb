package dev.weaklink.realkernel;

import dev.weaklink.realkernel.ElfEditor.Field;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Truncated files, compressed files, and invalid ELF modules. */
final class StructureCases {
    private static final String THIS_MODULE = ".gnu.linkonce.this_module";
    private static final int R_INFO = 8;

    private final Mutations mutations;
    private final byte[] base;

    private StructureCases(Mutations mutations) {
        this.mutations = mutations;
        base = mutations.edit("dummy").unsigned();
    }

    static void addTo(Mutations mutations) {
        StructureCases cases = new StructureCases(mutations);
        cases.addCompressed();
        cases.addCut();
        cases.addIdentity();
        cases.addHeader();
        cases.addSections();
        cases.addRelocations();
    }

    private void addCompressed() {
        compressed("raw_xz", out -> new XZOutputStream(out, new LZMA2Options(0)));
        compressed("raw_gz", GZIPOutputStream::new);
    }

    private void addCut() {
        cut("elf_empty", 0);
        cut("elf_3bytes", 3);
        cut("elf_header_only", 64);
        cut("elf_half", base.length / 2);
        cut("elf_less_one", base.length - 1);
    }

    private void addIdentity() {
        poke("elf_magic", 3, 'G');
        poke("elf_class32", 4, 1);
        poke("elf_data_be", 5, 2);
        poke("elf_eiversion", 6, 0);
        poke("elf_osabi", 7, 97);
        poke("elf_type_exec", 16, 2);
        poke("elf_type_dyn", 16, 3);
        poke("elf_machine_arm64", 18, 183);
        poke("elf_machine_386", 18, 3);
        poke("elf_eversion", 20, 2);
        poke("elf_flags", 48, 1);
    }

    private void addHeader() {
        poke("elf_shoff_huge", 40, 0, 0, 0, 0, 0, 1, 0, 0);
        poke("elf_shoff0", 40, 0, 0, 0, 0, 0, 0, 0, 0);
        poke("elf_shentsize", 58, 40, 0);
        poke("elf_shnum0", 60, 0, 0);
        poke("elf_shnum_huge", 60, 0xff, 0x7f);
        poke("elf_shstrndx0", 62, 0, 0);
        poke("elf_shstrndx_huge", 62, 0xf0, 0x7f);
    }

    private void addSections() {
        mutations.change(
                "elf_no_symtab", editor -> editor.elf().set(editor.symbols().section(), Field.TYPE, 1));
        mutations.change(
                "elf_symtab_link0", editor -> editor.elf().set(editor.symbols().section(), Field.LINK, 0));
        mutations.change("elf_no_this_module", editor -> editor.elf().rename(THIS_MODULE, ".gnu.linkonce.this_modulz"));
        mutations.change(
                "elf_this_module_small",
                editor -> editor.elf().set(THIS_MODULE, Field.SIZE, editor.elf().contents(THIS_MODULE).length - 64L));
        mutations.change("elf_secname_oob", editor -> editor.elf().set(".text", Field.NAME, 1 << 24));
        mutations.change("elf_secoff_oob", editor -> editor.elf().set(".text", Field.OFFSET, 1 << 24));
    }

    private void addRelocations() {
        mutations.change(
                "rel_bad_type",
                editor -> editor.elf().buffer().putInt(editor.elf().start(".rela.text") + R_INFO, 250));
        mutations.change("rel_target_nonzero", editor -> {
            ElfEditor elf = editor.elf();
            int place = (int) elf.buffer().getLong(elf.start(".rela.text"));
            elf.buffer().putInt(elf.start(".text") + place, 0x01010101);
        });
    }

    private void cut(String name, int length) {
        mutations.add(name, "dummy", Arrays.copyOf(base, length));
    }

    private void poke(String name, int offset, int... values) {
        byte[] file = base.clone();
        for (int i = 0; i < values.length; i++) {
            file[offset + i] = (byte) values[i];
        }
        mutations.add(name, "dummy", file);
    }

    private void compressed(String name, Compressor compressor) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = compressor.to(packed)) {
            out.write(base);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        mutations.add(name, "dummy", packed.toByteArray());
    }

    private interface Compressor {
        OutputStream to(OutputStream out) throws IOException;
    }
}
