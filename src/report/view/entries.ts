/** What a solver did, said and was told, as a list to read from top to bottom. */
import { count, duration, moment, money, plural } from './format.ts'
import { highlightYaml } from './highlight-yaml.ts'
import { type Html, html } from './html.ts'
import type { EpisodeStory, StoryEntry } from './story.ts'

type EntryOf<Kind extends StoryEntry['kind']> = Extract<StoryEntry, { kind: Kind }>

const item = (at: number, kind: string, name: Html | string, body: Html): Html =>
  html`<li class="entry ${kind}"><span class="when">${moment(at)}</span><div><p class="what">${name}</p>${body}</div></li>`

/** Short texts are open at once; a language model's prompt is not what one reads first. */
const fold = (summary: string, text: string, isOpen: boolean): Html =>
  text.trim() === ''
    ? html``
    : html`<details class="fold"${isOpen && html` open`}><summary>${summary}</summary><pre tabindex="0">${text.trimEnd()}</pre></details>`

const lines = (text: string): number => text.trimEnd().split('\n').length

const LINES_OPEN = 14

const thought = ({ at, role, text }: EntryOf<'thought'>): Html =>
  item(
    at,
    'thought',
    role === undefined ? 'Thought' : html`Thought <b>${role}</b>`,
    html`<p class="said">${text}</p>`,
  )

const asked = (entry: EntryOf<'asked'>): Html => {
  const { tokens, costUsd, took, tries, finish } = entry
  const facts = [
    duration(took),
    `${count(tokens.input)} tokens in, ${count(tokens.output)} out`,
    ...(costUsd === undefined ? [] : [money(costUsd)]),
    ...(tries > 1 ? [`asked ${tries} times`] : []),
    ...(finish === 'stop' || finish === 'tool-calls' ? [] : [`ended: ${finish}`]),
  ]
  const name = html`Asked <b>${entry.model}</b> as ${entry.role} <span class="facts">${facts.join(' · ')}</span>`
  return item(
    entry.at,
    'asked',
    name,
    html`${entry.messages.map((message) => fold(message.role, message.text, false))}${
      entry.answer.trim() !== '' && html`<p class="said">${entry.answer.trim()}</p>`
    }${entry.calls.map((call) => html`<p class="call"><code>${call}</code></p>`)}`,
  )
}

/** `{}` says nothing. */
const isEmptyInput = (input: string): boolean => ['', '{}', 'null'].includes(input.trim())

/** A short input stands beside the name. */
const isBrief = (input: string): boolean => input.length <= 100 && !input.includes('\n')

const action = (entry: EntryOf<'action'>): Html => {
  const input = isEmptyInput(entry.input) ? '' : entry.input.trimEnd()
  const seen = entry.observation
  return item(
    entry.at,
    'action',
    html`<code class="verb">${entry.action}</code>${
      isBrief(input) && html` <code>${input}</code>`
    } <span class="facts">${duration(entry.took)}</span>`,
    html`${!isBrief(input) && html`<pre class="input" tabindex="0">${input}</pre>`}${fold(
      plural(lines(seen), 'line'),
      seen,
      lines(seen) <= LINES_OPEN,
    )}`,
  )
}

const tasks = ({ tasks: all }: EntryOf<'playbook'>): Html | false =>
  all.length > 0 &&
  html`<table class="tasks"><caption class="unseen">Tasks of the playbook</caption><thead><tr><th scope="col">Task</th><th scope="col">Outcome</th></tr></thead><tbody>${all.map(
    ({ task, outcome, message }) =>
      html`<tr><td>${task}${message !== undefined && html`<p class="message">${message}</p>`}</td><td><span class="chip ${outcome}">${outcome}</span></td></tr>`,
  )}</tbody></table>`

const playbook = (entry: EntryOf<'playbook'>): Html => {
  const { findings, isRefused, hasRun, rolledBack } = entry
  const verb = hasRun ? 'Ran' : 'Wanted to run'
  const name = html`${verb} a <b>playbook</b> <span class="facts">${duration(entry.took)}</span>${
    !hasRun && html` <span class="chip failed">${isRefused ? 'refused' : 'not run'}</span>`
  }${rolledBack !== undefined && html` <span class="chip changed">rolled back</span>`}`
  return item(
    entry.at,
    'playbook',
    name,
    html`<pre class="yaml" tabindex="0">${highlightYaml(entry.playbook)}</pre>${
      findings.length > 0 && html`<ul class="findings">${findings.map((one) => html`<li>${one}</li>`)}</ul>`
    }${tasks(entry)}${
      rolledBack !== undefined &&
      rolledBack.length > 0 &&
      html`<p class="said">Taken back: ${rolledBack.join(', ')}</p>`
    }${fold('Output', entry.output, entry.tasks.length === 0 && lines(entry.output) <= LINES_OPEN)}`,
  )
}

const entryHtml = (entry: StoryEntry): Html => {
  switch (entry.kind) {
    case 'thought':
      return thought(entry)
    case 'asked':
      return asked(entry)
    case 'action':
      return action(entry)
    case 'playbook':
      return playbook(entry)
    case 'answers':
      return item(entry.at, 'answers', 'Answered', html`<pre class="input" tabindex="0">${entry.text}</pre>`)
    case 'ended':
      return item(
        entry.at,
        'ended',
        html`The solver ended: <b>${entry.outcome}</b>`,
        html`${entry.reason !== undefined && html`<p class="said">${entry.reason}</p>`}`,
      )
  }
}

const reportOf = ({ report, solver, shown }: EpisodeStory): Html | false =>
  report !== undefined &&
  item(
    shown?.at ?? solver?.from ?? 0,
    'report',
    'The solver was told',
    html`<pre class="told" tabindex="0">${report.trim()}</pre>`,
  )

export const entryList = (story: EpisodeStory): Html =>
  html`<ol class="entries">${reportOf(story)}${story.entries.map(entryHtml)}</ol>`
