/** What the tests share with the benchmarks. */
export { trainTicketDeployments } from './kube-parts/train-ticket.ts'
