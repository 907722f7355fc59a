/** The characters that a reader does not see, or that change how others are shown. */

/**
 * Matches control characters (including line ends and tabs), direction marks, zero-width characters, tags and variation
 * selectors. Does not match the selector that shows the symbol before it as an emoji.
 */
export const INVISIBLE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]|(?<!\p{Extended_Pictographic})\ufe0f/gu
