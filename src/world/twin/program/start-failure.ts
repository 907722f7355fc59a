/** Thrown if a service cannot start. The message is the text that the original service would print. */

export class StartFailure extends Error {}
