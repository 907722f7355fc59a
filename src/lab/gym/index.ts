/** Public interface of the gym: episodes whose agent is outside, for training. */
export type { ScoreRequest } from './check-score-request.ts'
export type { StartRequest } from './choose-start.ts'
export { createGym, type Gym, type GymOptions } from './create-gym.ts'
export type { GymSession, SessionState } from './create-gym-session.ts'
export type * from './episode-results.ts'
export type { RewardOptions } from './reward/combine-terms.ts'
export { parseReward } from './reward/parse-reward.ts'
export { REWARD_TERM_NAMES } from './reward/reward-terms.ts'
