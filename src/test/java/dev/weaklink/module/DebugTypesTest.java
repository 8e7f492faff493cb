package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types of debug information, in object files that gcc made. */
class DebugTypesTest {
    private static byte[] object(int version) throws IOException {
        return Files.readAllBytes(Path.of("test-fixtures/debug-types/dwarf-" + version + ".o"));
    }

    private static String type(Btf btf, int type) {
        return switch (btf.kind(type)) {
            case VOID -> "void";
            case PTR -> type(btf, btf.type(type)) + "*";
            case CONST -> "const " + type(btf, btf.type(type));
            case ARRAY -> type(btf, btf.element(type)) + "[" + btf.length(type) + "]";
            case FUNC_PROTO -> prototype(btf, type);
            case STRUCT, UNION -> btf.isNamed(type) ? "struct " + btf.name(type) : "{" + members(btf, type) + "}";
            case FWD -> "unknown " + btf.name(type);
            default -> btf.name(type);
        };
    }

    private static String prototype(Btf btf, int type) {
        StringBuilder text = new StringBuilder(type(btf, btf.type(type))).append('(');
        for (int i = 0; i < btf.members(type); i++) {
            text.append(i == 0 ? "" : ", ").append(type(btf, btf.memberType(type, i)));
        }
        return text.append(')').toString();
    }

    private static String members(Btf btf, int type) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < btf.members(type); i++) {
            text.append(i == 0 ? "" : "; ")
                    .append(type(btf, btf.memberType(type, i)))
                    .append(' ');
            text.append(btf.memberName(type, i)).append('@').append(btf.bitOffset(type, i));
            text.append(btf.bitWidth(type, i) == 0 ? "" : ":" + btf.bitWidth(type, i));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void typesLieWhereTheCompilerPutThem(int version) throws IOException, UnreadableException {
        byte[] object = object(version);
        ByteBuffer section = ProgramReader.debugTypes(object, object.length);
        assertThat(section).isNotNull();
        Btf btf = Btf.read(section);
        TypeGraph graph = TypeGraph.of(btf);

        int node = 0;
        for (int id = 1; id < btf.size(); id++) {
            boolean named = btf.kind(id) == BtfKind.STRUCT && btf.name(id).equals("node");
            assertThat(named && node > 0).isFalse();
            node = named ? id : node;
        }
        assertThat(btf.byteSize(node)).isEqualTo(64);
        assertThat(members(btf, node))
                .isEqualTo("struct node* next@0; const char* name@64; unsigned int on@128:1;"
                        + " unsigned int level@129:3; state state@160; {int number@0; void* pointer@0} @192;"
                        + " short int[3][2] table@256; int(struct node*, long unsigned int)* open@384;"
                        + " unknown other* other@448");
        assertThat(type(btf, graph.declared("own_open"))).isEqualTo("int(struct node*, long unsigned int)");
        assertThat(type(btf, graph.declared("find"))).isEqualTo("struct node*(const node_t*, void)");
        assertThat(type(btf, graph.declared("first"))).isEqualTo("struct node");
        assertThat(graph.declared("inlined")).isNull();
    }

    @Test
    void aFileWithoutAnyHasNone() throws IOException, UnreadableException {
        byte[] object = Files.readAllBytes(Path.of("test-fixtures/runtime-names/names.o"));

        assertThat(ProgramReader.debugTypes(object, object.length)).isNull();
    }

    @Test
    void whatIsDamagedIsNamedWithItsPlace() throws IOException {
        byte[] object = object(5);
        ElfImage image = Objects.requireNonNull(ModuleReader.sound(object, object.length));
        int info = new NamedSections(image).find(NamedSections.wanted(".debug_info"));
        object[(int) image.sections().offset(info) + 3] = 0x70;

        assertThatThrownBy(() -> ProgramReader.debugTypes(object, object.length))
                .hasMessage("a unit breaks off at 0x4 of .debug_info");
    }

    @Property(tries = 2000)
    void anyBytesGiveTypesOrNone(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        byte[] object = object(4 + random.nextInt(2));
        for (int i = 1 + random.nextInt(8); i > 0; i--) {
            object[64 + random.nextInt(object.length - 64)] = (byte) random.nextInt();
        }

        assertThatCode(() -> {
                    ByteBuffer types = ProgramReader.debugTypes(object, object.length);
                    if (types != null) {
                        TypeGraph.of(Btf.read(types));
                    }
                })
                .satisfiesAnyOf(
                        thrown -> assertThat(thrown).isNull(),
                        thrown -> assertThat(thrown).isInstanceOf(UnreadableException.class));
    }
}
