package dev.weaklink.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.btf.Btf;
import dev.weaklink.btf.MalformedBtfException;
import dev.weaklink.explain.TypeChange.Change;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** What a module built for the older kernel would notice of an edit. */
class TypeComparisonTest {
  private static TypeChange compare(
      ToIntFunction<BtfBuilder> before, ToIntFunction<BtfBuilder> after)
      throws MalformedBtfException {
    BtfBuilder one = new BtfBuilder();
    BtfBuilder two = new BtfBuilder();
    int old = before.applyAsInt(one);
    int now = after.applyAsInt(two);
    return new TypeComparison(read(one), read(two)).compare(old, now);
  }

  private static Btf read(BtfBuilder builder) throws MalformedBtfException {
    return Btf.read(ByteBuffer.wrap(builder.build(ByteOrder.LITTLE_ENDIAN)));
  }

  @Test
  void anotherNameForTheSameNumberIsSpelling() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> b.struct("s", 8, new Member("n", b.integer("unsigned char", 1), 0)),
            b ->
                b.struct(
                    "s", 8, new Member("n", b.typedef("u8", b.integer("unsigned char", 1)), 0)));
    assertThat(change.change()).isEqualTo(Change.SPELLING);
    assertThat(change.members()).containsExactly(new MemberChange("n", "unsigned char n", "u8 n"));
  }

  /** net_device.reg_state of 6.1.190. */
  @Test
  void anEnumBitFieldThatBecameAByteIsSpelling() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> b.struct("s", 8, new Member("state", b.enumeration("", "A", "B"), 16, 8)),
            b -> b.struct("s", 8, new Member("state", b.integer("u8", 1), 16)));
    assertThat(change.change()).isEqualTo(Change.SPELLING);
  }

  /** dst_entry.dev of 6.1.190. */
  @Test
  void aMemberThatWentIntoAnUnnamedUnionKeepsItsPlace() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> b.struct("s", 8, new Member("dev", b.pointer(b.forward("d", false)), 0)),
            b -> {
              int pointer = b.pointer(b.forward("d", false));
              int union =
                  b.union("", 8, new Member("dev", pointer, 0), new Member("dev_rcu", pointer, 0));
              return b.struct("s", 8, new Member("", union, 0));
            });
    assertThat(change.change()).isEqualTo(Change.SPELLING);
    assertThat(change.members()).extracting(MemberChange::name).containsExactly("dev_rcu");
  }

  @Test
  void aMemberThatMovedIsLayout() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> {
              int number = b.integer("int", 4);
              return b.struct("s", 8, new Member("a", number, 0), new Member("b", number, 32));
            },
            b -> {
              int number = b.integer("int", 4);
              return b.struct("s", 8, new Member("b", number, 0), new Member("a", number, 32));
            });
    assertThat(change.change()).isEqualTo(Change.LAYOUT);
    assertThat(change.members()).extracting(MemberChange::name).containsExactly("b", "a");
  }

  /** bpf_func_proto.might_sleep of 6.12.117. */
  @Test
  void aMemberInWhatWasAGapIsLayout() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> b.struct("s", 8, new Member("a", b.integer("int", 4), 0)),
            b -> {
              int number = b.integer("int", 4);
              int flag = b.integer("bool", 1);
              return b.struct("s", 8, new Member("a", number, 0), new Member("b", flag, 32));
            });
    assertThat(change.change()).isEqualTo(Change.LAYOUT);
    assertThat(change.members()).containsExactly(new MemberChange("b", null, "bool b"));
  }

  @Test
  void aMemberThatWentIsLayout() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> {
              int number = b.integer("int", 4);
              return b.struct("s", 8, new Member("a", number, 0), new Member("b", number, 32));
            },
            b -> b.struct("s", 8, new Member("a", b.integer("int", 4), 0)));
    assertThat(change.change()).isEqualTo(Change.LAYOUT);
    assertThat(change.members()).containsExactly(new MemberChange("b", "int b", null));
  }

  @Test
  void anotherParameterOfAFunctionPointerIsSignature() throws MalformedBtfException {
    TypeChange change =
        compare(
            b -> {
              int number = b.integer("int", 4);
              return b.struct("ops", 8, new Member("run", b.pointer(b.prototype(number)), 0));
            },
            b -> {
              int number = b.integer("int", 4);
              int proto = b.prototype(number, number);
              return b.struct("ops", 8, new Member("run", b.pointer(proto), 0));
            });
    assertThat(change.change()).isEqualTo(Change.SIGNATURE);
    assertThat(change.members())
        .containsExactly(new MemberChange("run", "int (*run)(void)", "int (*run)(int)"));
  }

  @Test
  void anEnumConstantWithAnotherValueIsLayout() throws MalformedBtfException {
    TypeChange change =
        compare(b -> b.enumeration("e", "A", "MAX"), b -> b.enumeration("e", "A", "B", "MAX"));
    assertThat(change.change()).isEqualTo(Change.LAYOUT);
    assertThat(change.members())
        .extracting(MemberChange::after)
        .containsExactly("B = 1", "MAX = 2");
  }

  @Test
  void aConstantAddedBehindTheOthersChangesNothingCompiled() throws MalformedBtfException {
    assertThat(compare(b -> b.enumeration("e", "A"), b -> b.enumeration("e", "A", "B")).change())
        .isEqualTo(Change.SPELLING);
  }
}
