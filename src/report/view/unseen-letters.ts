/**
 * What moves the cursor, turns the direction of writing or is not seen: control characters (line ends and tabs among them), marks
 * of direction, letters without width, tags, selectors of variants but for the one that colours a symbol.
 */
export const UNSEEN_LETTERS =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]|(?<!\p{Extended_Pictographic})\ufe0f/gu
