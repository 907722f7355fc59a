/** Why a process cannot start; the text is what its original would say as it dies. */

export class StartFailure extends Error {}
