package dev.weaklink.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.btf.Btf;
import dev.weaklink.btf.MalformedBtfException;
import dev.weaklink.btf.TypeGraph;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** By which parameters and members a symbol leads to a changed type. */
class WayTextTest {
  /** A device is the queue's, behind a pointer in a union without a name; its state changes. */
  private static TypeGraph types(String state, boolean returned) throws MalformedBtfException {
    BtfBuilder types = new BtfBuilder();
    int number = types.integer("int", 4);
    int other = types.integer(state, 4);
    int device =
        types.struct("device", 8, new Member("id", number, 0), new Member("state", other, 32));
    int owners = types.array(types.pointer(types.constant(device)), 2);
    int either =
        types.union("", 16, new Member("count", number, 0), new Member("owners", owners, 0));
    int queue =
        types.struct("queue", 24, new Member("length", number, 0), new Member("", either, 64));
    int pointer = types.pointer(queue);
    types.function(
        "open",
        returned ? types.prototype(pointer, number) : types.prototypeOf(number, "where", pointer));
    return TypeGraph.of(Btf.read(ByteBuffer.wrap(types.build(ByteOrder.LITTLE_ENDIAN))));
  }

  private static List<String> way(boolean returned) throws MalformedBtfException {
    CauseFinder finder = new CauseFinder(types("u32", returned), types("u31", returned));
    return Objects.requireNonNull(finder.find(List.of("open"), 1).get("open")).way();
  }

  @Test
  void parametersAndMembersAreNamed() throws MalformedBtfException {
    assertThat(way(false))
        .containsExactly("open(where)", "struct queue.owners", "struct device.state");
  }

  @Test
  void whatIsReturnedHasNoName() throws MalformedBtfException {
    assertThat(way(true)).containsExactly("open()", "struct queue.owners", "struct device.state");
  }
}
