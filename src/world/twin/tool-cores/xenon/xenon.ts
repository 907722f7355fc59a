/** One member of a MySQL cluster: monitors its MySQL server and the other members, and leads or follows. */
import { type Decision, decide, type MemberState } from './election.ts'
import { fetchMemberState } from './members.ts'
import type { MysqlState, OwnMysql } from './own-mysql.ts'
import type { Member, PodApi } from './pod-api.ts'
import type { PodPorts, XenonHost } from './xenon-host.ts'

export interface XenonOptions {
  readonly host: Pick<XenonHost, 'time' | 'listen' | 'requestLine'>
  /** Name of the pod. */
  readonly name: string
  readonly mysql: OwnMysql
  readonly pods: PodApi
  portsOf(pod: string): PodPorts
  readonly log: (text: string) => void
}

/** Interval between two polls of the members; shorter without a leader. */
const POLL_MS = 1_000
const ELECTION_POLL_MS = 200

/** Interval between two requests for the list of pods. */
const LIST_INTERVAL_MS = 10_000

export class Xenon {
  #state: MemberState
  #members: readonly Member[] = []
  #listedAt = Number.NEGATIVE_INFINITY
  #label: string | undefined
  #leader: string | undefined
  #leaderSeenAt = Number.NEGATIVE_INFINITY
  readonly #startedAt: number
  #aliveAt: number
  #quorumSeenAt: number
  #server: { close(): void } | undefined
  #cancelPoll = (): void => {}
  #closed = false
  readonly #options: XenonOptions

  constructor(options: XenonOptions) {
    this.#options = options
    const now = this.#now()
    this.#startedAt = now
    this.#aliveAt = now
    this.#quorumSeenAt = now
    this.#state = { name: options.name, leading: false, term: 0, alive: false, position: 0, labelled: false }
  }

  get state(): MemberState {
    return this.#state
  }

  #now(): number {
    return this.#options.host.time.monotonic()
  }

  /** Resolves when the member answers requests. */
  async start(): Promise<void> {
    const { host, name, portsOf } = this.#options
    this.#server = await host.listen(portsOf(name).xenon, (request) =>
      request.startsWith('ping') ? 'OK' : JSON.stringify(this.#state),
    )
    this.#poll()
  }

  /** Stops the member. A leader becomes read-only first, because later writes would not be replicated. */
  async leave(): Promise<void> {
    this.#stopPolling()
    if (this.#state.leading) await this.#options.mysql.resign().catch(() => undefined)
    this.close()
  }

  #stopPolling(): void {
    this.#closed = true
    this.#cancelPoll()
  }

  close(): void {
    this.#stopPolling()
    this.#server?.close()
    this.#options.mysql.close()
  }

  #poll(): void {
    this.#runCycle()
      .catch((error: Error) => this.#options.log(`[ERROR] ${error.message}`))
      .then(() => {
        const isSettled = this.#label !== undefined && (this.#state.leading || this.#leader !== undefined)
        if (this.#closed) return
        const waitMs = isSettled ? POLL_MS : ELECTION_POLL_MS
        this.#cancelPoll = this.#options.host.time.after(waitMs, () => this.#poll())
      })
  }

  async #runCycle(): Promise<void> {
    await this.#listPods()
    const mysql = await this.#options.mysql.state()
    const now = this.#now()
    if (mysql !== undefined) this.#aliveAt = now
    this.#state = {
      ...this.#state,
      alive: mysql !== undefined,
      position: mysql?.position ?? this.#state.position,
    }
    const others = await this.#fetchOthers()
    if (2 * (others.length + 1) > this.#members.length) this.#quorumSeenAt = now
    this.#trackLeader(others)
    const decision = decide({
      self: this.#state,
      others,
      members: Math.max(1, this.#members.length),
      leaderlessMs: now - this.#leaderSeenAt,
      uptimeMs: now - this.#startedAt,
      mysqlSilentMs: now - this.#aliveAt,
      withoutQuorumMs: now - this.#quorumSeenAt,
    })
    await this.#apply(decision, mysql)
  }

  /** Lists the pods; keeps the last list if the API does not answer. */
  async #listPods(): Promise<void> {
    const interval = this.#leader === undefined && !this.#state.leading ? ELECTION_POLL_MS : LIST_INTERVAL_MS
    if (this.#now() - this.#listedAt < interval) return
    try {
      this.#members = await this.#options.pods.members()
      this.#listedAt = this.#now()
      this.#label = this.#members.find(({ name }) => name === this.#options.name)?.role
      if (this.#state.term === 0) this.#state = { ...this.#state, labelled: this.#label === 'leader' }
    } catch (error) {
      this.#options.log(`[WARN] cannot list pods: ${(error as Error).message}`)
    }
  }

  async #fetchOthers(): Promise<MemberState[]> {
    const others = this.#members.filter(({ name, host }) => name !== this.#options.name && host !== '')
    const states = await Promise.all(
      others.map((member) =>
        fetchMemberState(this.#options.host, member.host, this.#options.portsOf(member.name).xenon),
      ),
    )
    // The address may now belong to another pod.
    return states.filter((state, index): state is MemberState => state?.name === others[index]!.name)
  }

  #trackLeader(others: readonly MemberState[]): void {
    const previousLeader = this.#leader
    const leader = others.find(({ leading, alive }) => leading && alive)
    if (leader !== undefined) {
      this.#leader = leader.name
      this.#leaderSeenAt = this.#now()
      return
    }
    const report = others.find(({ name }) => name === previousLeader)
    if (previousLeader === undefined || report?.leading) return
    const exists = this.#members.some(({ name }) => name === previousLeader)
    // The previous leader has resigned, or its pod no longer exists: elect without delay.
    if (report !== undefined || !exists) this.#leaderSeenAt = Number.NEGATIVE_INFINITY
    // The pod of the previous leader may no longer exist, so the pods are listed soon.
    this.#listedAt = Math.min(this.#listedAt, this.#now() - LIST_INTERVAL_MS + POLL_MS)
    if (this.#now() - this.#leaderSeenAt > LIST_INTERVAL_MS) this.#leader = undefined
  }

  async #apply(decision: Decision, mysql: MysqlState | undefined): Promise<void> {
    if (decision === 'wait') return
    if (decision === 'resign') {
      this.#setRole(false, this.#state.term)
      await this.#labelPod('follower')
      if (mysql !== undefined) await this.#options.mysql.resign()
    } else if ('lead' in decision) {
      if (mysql !== undefined && (mysql.readOnly || mysql.follows !== '')) await this.#options.mysql.lead()
      this.#setRole(true, decision.lead)
      await this.#labelPod('leader')
    } else await this.#follow(decision.follow, decision.term, mysql)
  }

  async #follow(name: string, term: number, mysql: MysqlState | undefined): Promise<void> {
    const leader = this.#members.find((member) => member.name === name)
    this.#setRole(false, term)
    this.#leader = name
    await this.#labelPod('follower')
    if (leader === undefined || mysql === undefined) return
    const port = this.#options.portsOf(leader.name).mysql
    if (mysql.readOnly && mysql.follows === `${leader.host}:${port}`) return
    await this.#options.mysql.follow(leader.host, port)
    this.#options.log(`[INFO] FOLLOWER[ID:${this.#options.name}].follows.leader[${name}]`)
  }

  #setRole(leading: boolean, term: number): void {
    if (leading === this.#state.leading && term === this.#state.term) return
    this.#state = { ...this.#state, leading, term }
    this.#leader = undefined
    const role = leading ? 'LEADER' : 'FOLLOWER'
    this.#options.log(`[INFO] ${role}[ID:${this.#options.name}, V:${term}].state.machine.run`)
  }

  async #labelPod(role: 'leader' | 'follower'): Promise<void> {
    if (this.#label === role) return
    await this.#options.pods.label(this.#options.name, role)
    this.#label = role
  }
}
