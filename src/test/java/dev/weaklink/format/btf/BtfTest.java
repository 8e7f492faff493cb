package dev.weaklink.format.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BtfTest {
    private static Btf read(BtfBuilder builder) throws UnreadableException {
        return Btf.read(ByteBuffer.wrap(builder.build(ByteOrder.LITTLE_ENDIAN)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsBothByteOrders(boolean little) throws IOException {
        BtfBuilder builder = new BtfBuilder();
        int number = builder.integer("int", 4);
        int list = builder.struct("list", 16, new Member("next", number, 0), new Member("flags", number, 32, 3));
        int choice = builder.enumeration("choice", "NO", "YES");
        Btf btf = Btf.read(ByteBuffer.wrap(builder.build(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)));
        assertThat(btf.size()).isEqualTo(4);
        assertThat(btf.kind(list)).isEqualTo(BtfKind.STRUCT);
        assertThat(btf.name(list)).isEqualTo("list");
        assertThat(btf.byteSize(list)).isEqualTo(16);
        assertThat(btf.memberName(list, 1)).isEqualTo("flags");
        assertThat(btf.bitOffset(list, 1)).isEqualTo(32);
        assertThat(btf.bitWidth(list, 1)).isEqualTo(3);
        assertThat(btf.value(choice, 1)).isEqualTo(1);
    }

    @Test
    void numbersModuleTypesAfterKernelTypes() throws IOException {
        BtfBuilder kernel = new BtfBuilder();
        int number = kernel.integer("int", 4);
        BtfBuilder module = kernel.split();
        int own = module.struct("own", 4, new Member("value", number, 0));
        Btf base = read(kernel);
        Btf split = Btf.readSplit(ByteBuffer.wrap(module.build(ByteOrder.LITTLE_ENDIAN)), base);
        assertThat(own).isEqualTo(2);
        assertThat(split.name(own)).isEqualTo("own");
        assertThat(split.memberName(own, 0)).isEqualTo("value");
        assertThat(split.name(split.memberType(own, 0))).isEqualTo("int");
    }

    @Test
    void refusesReferencesToTypesThatDoNotExist() {
        BtfBuilder builder = new BtfBuilder();
        builder.pointer(7);
        assertThatThrownBy(() -> read(builder)).hasMessage("type 1 refers to type 7, which does not exist");
    }

    @Test
    void refusesKindsItDoesNotKnow() {
        BtfBuilder builder = new BtfBuilder();
        builder.raw(31, "odd", 0, 0);
        assertThatThrownBy(() -> read(builder)).hasMessage("type 1 is of the unknown kind 31");
    }

    @Test
    void refusesMembersBehindTheEnd() {
        BtfBuilder builder = new BtfBuilder();
        builder.raw(4, "cut", 3, 8);
        assertThatThrownBy(() -> read(builder)).hasMessage("the last type is truncated");
    }

    @Test
    void refusesDeeplyNestedUnnamedTypes() {
        BtfBuilder builder = new BtfBuilder();
        int type = builder.integer("int", 4);
        for (int i = 0; i < 60; i++) {
            type = builder.struct("", 4, new Member("a", type, 0), new Member("b", type, 0));
        }
        builder.struct("bomb", 4, new Member("it", type, 0));
        assertThatThrownBy(() -> TypeGraph.of(read(builder)))
                .isInstanceOf(UnreadableException.class)
                .hasMessage("the types are nested too deeply");
    }

    @Test
    void neverReadsOutsideOfDamagedBytes() {
        BtfBuilder builder = new BtfBuilder();
        int number = builder.integer("int", 4);
        int first = builder.struct("first", 8, new Member("value", number, 0));
        builder.function("use", builder.prototype(number, builder.pointer(first)));
        byte[] good = builder.build(ByteOrder.LITTLE_ENDIAN);
        Random random = new Random(1);
        int readable = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                TypeGraph graph = TypeGraph.of(Btf.read(ByteBuffer.wrap(bad)));
                readable += graph.btf().size() > 0 ? 1 : 0;
            } catch (UnreadableException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
        assertThat(readable).isBetween(1, 19_999);
    }

    /** Reads BTF that a compiler wrote, so that a mistake shared by the test's writer and the reader would show. */
    @Test
    void readsWhatACompilerWrites(@TempDir Path place) throws Exception {
        Path source = place.resolve("a.c");
        Path object = place.resolve("a.o");
        Files.writeString(
                source,
                "struct demo { int one; unsigned two:3; struct demo *next; };"
                        + " int use(struct demo *d) { return d->one; }");
        Process gcc;
        try {
            gcc = new ProcessBuilder("gcc", "-gbtf", "-c", source.toString(), "-o", object.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            Assumptions.abort("gcc is not installed");
            return;
        }
        Assumptions.assumeTrue(gcc.waitFor(60, TimeUnit.SECONDS) && gcc.exitValue() == 0, "gcc cannot write BTF");
        Btf btf = Btf.read(section(Files.readAllBytes(object)));
        int demo = 1;
        while (!btf.name(demo).equals("demo")) {
            demo++;
        }
        assertThat(btf.kind(demo)).isEqualTo(BtfKind.STRUCT);
        assertThat(btf.byteSize(demo)).isEqualTo(16);
        assertThat(btf.memberName(demo, 2)).isEqualTo("next");
        assertThat(btf.bitOffset(demo, 2)).isEqualTo(64);
        assertThat(btf.bitWidth(demo, 1)).isEqualTo(3);
    }

    /** Returns the section that begins with BTF's magic in an x86-64 object file. */
    private static ByteBuffer section(byte[] object) {
        byte[] magic = "\u009f\u00eb\1\0".getBytes(StandardCharsets.ISO_8859_1);
        for (int at = 64; at < object.length - 24; at += 4) {
            ByteBuffer here = ByteBuffer.wrap(object, at, object.length - at).slice();
            boolean found = true;
            for (int i = 0; i < magic.length; i++) {
                found &= here.get(i) == magic[i];
            }
            if (found) {
                return here;
            }
        }
        throw new IllegalStateException("no BTF");
    }
}
