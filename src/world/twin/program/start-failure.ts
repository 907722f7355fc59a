/** The error of a process that cannot start. The message is the one that its original would print. */

export class StartFailure extends Error {}
