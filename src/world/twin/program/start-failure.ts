/** A process cannot start; the message is that of its original. */

export class StartFailure extends Error {}
