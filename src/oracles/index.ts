/** Judges of an episode: pure functions of its record. */
export { type Assessment, assess } from './assess.ts'
export { type ChangeFilter, createChangeFilter, type RecordedChange } from './create-change-filter.ts'
export { createEpisodeView } from './create-episode-view.ts'
export type { EpisodeView } from './episode-view.ts'
export { type Feeling, feltByUsers } from './felt-by-users.ts'
export { judgeRecord } from './judge-record.ts'
export { toRecordedObject } from './to-recorded-object.ts'
export { WATCHED_KINDS, type WatchedKind } from './watched-kinds.ts'
