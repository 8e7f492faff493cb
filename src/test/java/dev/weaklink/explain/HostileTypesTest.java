package dev.weaklink.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange.TypeChangeKind;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Types that refer to each other in too many ways to follow all of them. */
class HostileTypesTest {
    private static final ExportTable NO_EXPORTS = new ExportTableBuilder(0).build();

    private static TypeGraph graph(BtfBuilder types) throws UnreadableException {
        return TypeGraph.of(Btf.read(ByteBuffer.wrap(types.build(ByteOrder.LITTLE_ENDIAN))));
    }

    private static KernelSide kernel(TypeGraph types) {
        return new KernelSide(types, List.of(), NO_EXPORTS);
    }

    private static Map<String, CrcCause> causes(BtfBuilder before, BtfBuilder after, String symbol)
            throws UnreadableException {
        return new CauseFinder(graph(before), graph(after), "6.1.0", true).find(List.of(symbol), List.of(), 1);
    }

    /** The nested types have 2¹⁵ members of one name, which would be a single entry in a table. */
    @Test
    void refusesDeeplyNestedUnnamedTypes() {
        BtfBuilder types = new BtfBuilder();
        int type = types.struct("", 4, new Member("x", types.integer("int", 4), 0));
        for (int i = 0; i < 15; i++) {
            type = types.struct("", 4, new Member("", type, 0), new Member("", type, 0));
        }
        int whole = type;
        for (int i = 0; i < 60; i++) {
            types.struct("s" + i, 4, new Member("", whole, 0));
        }

        assertThatThrownBy(() -> graph(types)).hasMessage("the types are nested too deeply");
    }

    @Test
    void countsConstantsOfUnnamedEnumsOnEachVisit() {
        BtfBuilder types = new BtfBuilder();
        String[] names = new String[400];
        for (int i = 0; i < names.length; i++) {
            names[i] = "C" + i;
        }
        int type = types.enumeration("", names);
        for (int i = 0; i < 10; i++) {
            type = types.struct("", 4, new Member("a", type, 0), new Member("b", type, 0));
        }
        types.struct("whole", 4, new Member("it", type, 0));

        assertThatThrownBy(() -> graph(types)).hasMessage("the types are nested too deeply");
    }

    private static BtfBuilder typedefs(String last) {
        BtfBuilder types = new BtfBuilder();
        int type = types.integer("int", 4);
        int number = type;
        for (int i = 0; i < 20; i++) {
            int struct = types.struct("", 4, new Member("a", type, 0), new Member("b", type, 0));
            type = types.typedef("t" + i, struct);
        }
        int whole = types.struct("whole", 4, new Member("a", type, 0), new Member(last, number, 0));
        types.function("open", types.prototype(0, types.pointer(whole)));
        return types;
    }

    /** A comparison that reaches a limit counts as a changed layout. */
    @Test
    void endsAComparisonThroughTypedefs() throws UnreadableException {
        CrcCause cause = causes(typedefs("old"), typedefs("new"), "open").get("open");

        assertThat(cause).isNotNull();
        assertThat(cause.change().change()).isEqualTo(TypeChangeKind.LAYOUT);
    }

    private static BtfBuilder inItself(String member) {
        BtfBuilder types = new BtfBuilder();
        int changed = types.struct("changed", 4, new Member(member, types.integer("int", 4), 0));
        int itself = changed + 1;
        int unnamed = types.struct("", 4, new Member("", itself, 0), new Member("z", changed, 0));
        assertThat(unnamed).isEqualTo(itself);
        int whole = types.struct("whole", 4, new Member("", unnamed, 0));
        types.function("open", types.prototype(0, types.pointer(whole)));
        return types;
    }

    @Test
    void endsThePathThroughAnUnnamedTypeThatContainsItself() throws UnreadableException {
        CrcCause cause = causes(inItself("old"), inItself("new"), "open").get("open");

        assertThat(cause).isNotNull();
        assertThat(cause.path()).containsExactly("open", "struct whole", "struct changed");
    }

    private static BtfBuilder callbacks(String member) {
        BtfBuilder types = new BtfBuilder();
        int number = types.integer("int", 4);
        int type = number;
        for (int i = 0; i < 8; i++) {
            type = types.pointer(types.prototype(0, type, type, type));
        }
        int changed = types.struct("changed", 4, new Member(member, number, 0));
        int whole = types.struct("whole", 8, new Member("a", type, 0), new Member("b", types.pointer(changed), 0));
        types.function("open", types.prototype(0, types.pointer(whole)));
        return types;
    }

    /** The search ends before it has found out that none of the 3⁸ preceding parameters leads to the changed type. */
    @Test
    void omitsTheMemberOfAChangeIfTheSearchTakesTooLong() throws UnreadableException {
        CrcCause cause = causes(callbacks("old"), callbacks("new"), "open").get("open");

        assertThat(cause).isNotNull();
        assertThat(cause.way()).startsWith("open()", "struct whole");
    }

    @Test
    void limitsTheSearchForPointersAtOneOffset() throws UnreadableException {
        BtfBuilder types = new BtfBuilder();
        int number = types.integer("int", 4);
        int type = types.pointer(types.prototype(0, number));
        for (int i = 0; i < 16; i++) {
            type = types.struct(
                    "s" + i, 8, new Member("a", type, 0), new Member("b", type, 0), new Member("c", type, 0));
        }
        int last = types.struct("last", 8, new Member("open", types.pointer(number), 0));
        TypePointers pointers = new TypePointers(graph(types).btf());

        assertThat(pointers.of(type)).hasSize(1);
        assertThat(pointers.of(last)).isEmpty();
    }
}
