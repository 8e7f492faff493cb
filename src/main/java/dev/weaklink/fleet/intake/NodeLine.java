package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One line of JSON about a node.
 *
 * @param node the node's own name for itself, unchecked; null if it was left out
 * @param length of the JSON, in bytes, without tables
 */
record NodeLine(@Nullable String node, NodeInventory inventory, int length) {
  /** What is wrong with JSON that Jackson's limits are for. */
  static final String BEYOND_LIMITS = "nests too deep, or has a name or a number that is too long";

  /** What is wrong with a line that ends too early. */
  static final String CUT_SHORT = "is cut short";

  /** What every line of the collector begins with, and nothing within one. */
  private static final byte[] BEGINNING =
      "{\"schema\":\"weaklink.node/1\"".getBytes(StandardCharsets.US_ASCII);

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Lines.MAX_LENGTH).build())
          .build();

  /**
   * Reads a line.
   *
   * @param tables takes the tables that are in it
   * @throws MalformedNodeException if it is cut, not JSON, or not about a node
   */
  static NodeLine parse(byte[] bytes, int offset, int length, ModuleTables tables)
      throws MalformedNodeException {
    try (JsonParser json = JSON.createParser(bytes, offset, length)) {
      return read(json, length, tables);
    } catch (MalformedNodeException e) {
      throw e;
    } catch (JsonEOFException e) {
      throw new MalformedNodeException(CUT_SHORT);
    } catch (StreamConstraintsException e) {
      throw new MalformedNodeException(BEYOND_LIMITS);
    } catch (JsonProcessingException e) {
      throw new MalformedNodeException(
          isUtf8(bytes, offset, length) ? "is not JSON" + place(e) : "is not valid UTF-8");
    } catch (IOException e) {
      throw new MalformedNodeException("is not valid UTF-8");
    }
  }

  private static NodeLine read(JsonParser json, int length, ModuleTables tables)
      throws IOException {
    InventoryDraft draft = new InventoryDraft(tables);
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw new MalformedNodeException("is not a JSON object");
    }
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      json.nextToken();
      if (!draft.take(key, json)) {
        json.skipChildren();
      }
    }
    if (json.nextToken() != null) {
      throw new MalformedNodeException("holds more than one JSON object");
    }
    return new NodeLine(draft.node(), draft.finish(), length - (int) draft.tableLength());
  }

  /** Where the next one begins, -1 if none does. */
  static int next(byte[] bytes, int start, int limit) {
    for (int at = start; at <= limit - BEGINNING.length; at++) {
      if (bytes[at] == '{'
          && Arrays.equals(bytes, at, at + BEGINNING.length, BEGINNING, 0, BEGINNING.length)) {
        return at;
      }
    }
    return -1;
  }

  private static String place(JsonProcessingException e) {
    JsonLocation at = e.getLocation();
    return at == null ? "" : " from its byte " + (at.getByteOffset() + 1) + " on";
  }

  private static boolean isUtf8(byte[] bytes, int offset, int length) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, offset, length));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
