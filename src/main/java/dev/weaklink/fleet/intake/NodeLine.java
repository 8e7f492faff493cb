package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parsed JSON about a node.
 *
 * @param node the name that the node reports for itself, unchecked; null if the node reports none
 * @param length the number of bytes of the JSON without its symbol tables
 * @param end the offset of the end of the JSON in its line; 0 if the JSON was read as a document
 */
record NodeLine(@Nullable String node, NodeInventory inventory, int length, int end) {
    static final String BEYOND_LIMITS = "nested too deep, or a name or number is too long";

    static final String CUT_SHORT = "truncated";

    private static final String KEY = "{\"schema\":";

    /**
     * The first bytes of every line of {@code weaklink-collect}. Within such a line, only damage can produce these
     * bytes again.
     */
    private static final byte[] BEGINNING = "{\"schema\":\"weaklink.node/1\"".getBytes(StandardCharsets.US_ASCII);

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(LineReader.MAX_LENGTH)
                    .build())
            .build();

    static MissingNodes.Failure failure(UnreadableException damage) {
        boolean isCut = CUT_SHORT.equals(damage.reason());
        return isCut ? MissingNodes.Failure.CUT_SHORT : MissingNodes.Failure.DAMAGED;
    }

    /**
     * Parses the JSON that starts at an offset.
     *
     * @param limit the offset at which the line ends
     * @param tables receives the symbol tables in the JSON
     * @throws UnreadableException if the JSON is damaged or is not an inventory
     */
    static NodeLine parse(byte[] bytes, int offset, int limit, ModuleTables tables) throws UnreadableException {
        try (JsonParser json = JSON.createParser(bytes, offset, limit - offset)) {
            InventoryDraft draft = new InventoryDraft(tables);
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                json.nextToken();
                if (!draft.take(key, json)) {
                    json.skipChildren();
                }
            }
            int size = (int) json.currentLocation().getByteOffset();
            int length = size - (int) draft.tableLength();
            return new NodeLine(draft.node(), draft.finish(), length, offset + size);
        } catch (UnreadableException e) {
            throw e;
        } catch (JsonEOFException e) {
            throw new UnreadableException(UnreadableKind.CONTENTS, CUT_SHORT);
        } catch (StreamConstraintsException e) {
            throw new UnreadableException(UnreadableKind.CONTENTS, BEYOND_LIMITS);
        } catch (JsonProcessingException e) {
            boolean isText = isUtf8(bytes, offset, limit - offset);
            throw new UnreadableException(UnreadableKind.CONTENTS, isText ? "not JSON" + place(e) : "not valid UTF-8");
        } catch (IOException e) {
            throw new UnreadableException(UnreadableKind.CONTENTS, "not valid UTF-8");
        }
    }

    /**
     * Describes the damage of a text that starts like a line of {@code weaklink-collect} but is not such a line.
     *
     * @return the damage; null if the text starts in another way
     */
    static @Nullable UnreadableException damage(String text) {
        String beginning = new String(BEGINNING, StandardCharsets.US_ASCII);
        if (!text.isEmpty() && beginning.startsWith(text)) {
            return new UnreadableException(UnreadableKind.CONTENTS, CUT_SHORT);
        }
        return text.startsWith(KEY)
                ? new UnreadableException(UnreadableKind.CONTENTS, "schema is not weaklink.node/1")
                : null;
    }

    static int next(byte[] bytes, int start, int limit) {
        for (int at = start; at <= limit - BEGINNING.length; at++) {
            if (bytes[at] == '{' && Arrays.equals(bytes, at, at + BEGINNING.length, BEGINNING, 0, BEGINNING.length)) {
                return at;
            }
        }
        return -1;
    }

    private static String place(JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        return at == null ? "" : " at byte " + (at.getByteOffset() + 1) + " of the inventory";
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
