import type { ComponentChildren } from "preact"
import type { ServiceHealth } from "../../../../schema/api/operations.ts"
import { formatCount } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Card, Facts } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, Foreign, Moment, When } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    time: "Trabalho devido",
    lag: "Última verificação há",
    deliveries: "Destinos com entregas devidas",
    timers: "Temporizadores devidos",
    oldest: "o mais antigo há",
    processes: "Processos",
    process: "Processo",
    heard: "Último sinal",
    partitions: "Partições",
    streams: "Transmissões abertas",
    held: "Partições atendidas",
    notHeld: "Há partições que nenhum processo atende: os vendedores delas esperam.",
    audit: "Auditoria dos livros",
    noAudit: "Nenhuma auditoria terminou ainda.",
    ended: "Terminou em",
    result: "Resultado",
    isOk: "Nenhuma diferença",
    differs: "Diferença em",
    full: "Tudo auditado do começo desde",
    money: "Saques e livros do parceiro",
    frozen: "Envio de dinheiro",
    running: "Funcionando",
    onHold: "Parado",
    waiting: "Saques aprovados à espera de envio",
    stuck: "Devoluções em processamento há tempo demais",
    longest: "a mais antiga desde",
    swept: "Livros comparados até",
    notSwept: "Ainda não comparados",
    unreadable: "Itens que não puderam ser lidos",
  },
  en: {
    time: "Work due",
    lag: "Last checked",
    deliveries: "Destinations with deliveries due",
    timers: "Timers due",
    oldest: "the oldest for",
    processes: "Processes",
    process: "Process",
    heard: "Last heard of",
    partitions: "Partitions",
    streams: "Open streams",
    held: "Partitions held",
    notHeld: "No process holds some partitions: their sellers wait.",
    audit: "Audit of the books",
    noAudit: "No audit has ended yet.",
    ended: "Ended",
    result: "Result",
    isOk: "No difference",
    differs: "Difference in",
    full: "All audited from the beginning since",
    money: "Payouts and the acquirer's books",
    frozen: "Sending of money",
    running: "Running",
    onHold: "On hold",
    waiting: "Approved withdrawals that wait to be sent",
    stuck: "Refunds processing for too long",
    longest: "the oldest since",
    swept: "Books compared up to",
    notSwept: "Not compared yet",
    unreadable: "Items that could not be read",
  },
})

/** A duration with the unit that suits it, in the page's language. */
const durationText = (seconds: number): string => {
  const [value, unit] =
    seconds < 120
      ? [seconds, "second"]
      : seconds < 7_200
        ? [seconds / 60, "minute"]
        : [seconds / 3_600, "hour"]
  const style = {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: value < 10 ? 1 : 0,
  } as const
  return new Intl.NumberFormat(language.value, style).format(value)
}

const Due = ({ of: { due, oldest_seconds } }: { readonly of: ServiceHealth["timers"] }) => (
  <>
    {formatCount(due)}
    {due > 0 && (
      <span class="muted">
        {" "}
        ({texts.value.oldest} {durationText(oldest_seconds)})
      </span>
    )}
  </>
)

const Good = ({ isGood, children }: { readonly isGood: boolean; readonly children: ComponentChildren }) => (
  <span class={`status ${isGood ? "good" : "bad"}`}>{children}</span>
)

const Processes = ({ of: { processes, partitions, open_streams } }: { readonly of: ServiceHealth }) => {
  const { value } = texts
  return (
    <Card title={value.processes}>
      <Facts
        of={[
          [value.held, `${formatCount(partitions.held)} / ${formatCount(partitions.total)}`],
          [value.streams, formatCount(open_streams)],
        ]}
      />
      {partitions.held < partitions.total && <p class="warning">{value.notHeld}</p>}
      <Table
        label={value.processes}
        columns={[value.process, value.heard, { right: value.partitions }, { right: value.streams }]}
      >
        {processes.map((process) => (
          <TableRow key={process.id} data-testid="process-row" data-id={process.id}>
            <Cell place="title" label={value.process}>
              <Code>{process.id}</Code>
            </Cell>
            <Cell place="when" label={value.heard}>
              <When at={process.last_heartbeat_at} />
            </Cell>
            <Cell place="extra" label={value.partitions} isRight>
              {formatCount(process.partitions)}
            </Cell>
            <Cell place="extra" label={value.streams} isRight>
              {formatCount(process.streams)}
            </Cell>
          </TableRow>
        ))}
      </Table>
    </Card>
  )
}

const Audit = ({ of: audit }: { readonly of: ServiceHealth["audit"] }) => {
  const { value } = texts
  return (
    <Card title={value.audit}>
      {audit === null ? (
        <p class="muted">{value.noAudit}</p>
      ) : (
        <Facts
          of={[
            [
              value.result,
              <Good key="result" isGood={audit.is_ok}>
                {audit.is_ok ? value.isOk : `${value.differs} ${audit.differing_check ?? "?"}`}
              </Good>,
            ],
            [value.ended, <Moment key="ended" at={audit.ended_at} />],
            [value.full, <Moment key="full" at={audit.oldest_full_at} />],
          ]}
        />
      )}
    </Card>
  )
}

const StuckRefunds = ({
  of: { stuck, oldest_id, oldest_since },
}: {
  readonly of: ServiceHealth["refunds"]
}) => (
  <span data-testid="stuck-refunds">
    <Good isGood={stuck === 0}>{formatCount(stuck)}</Good>
    {oldest_id !== null && (
      <span class="muted">
        {" "}
        ({texts.value.longest} <Moment at={oldest_since} />: <Code>{oldest_id}</Code>)
      </span>
    )}
  </span>
)

/** What operators watch over all processes: work that is due, processes, the audit, and the sending of money. */
export const Measures = ({ of: health }: { readonly of: ServiceHealth }) => {
  const { value } = texts
  const { payouts, refunds, sweep } = health
  return (
    <>
      <Card title={value.time}>
        <Facts
          of={[
            [value.lag, durationText(health.scheduler_lag_seconds)],
            [value.deliveries, <Due key="deliveries" of={health.deliveries} />],
            [value.timers, <Due key="timers" of={health.timers} />],
          ]}
        />
      </Card>
      <Processes of={health} />
      <Audit of={health.audit} />
      <Card title={value.money}>
        <Facts
          of={[
            [
              value.frozen,
              <span key="frozen">
                <Good isGood={!payouts.is_frozen}>{payouts.is_frozen ? value.onHold : value.running}</Good>{" "}
                {payouts.reason !== null && <Foreign>{payouts.reason}</Foreign>}
              </span>,
            ],
            [value.waiting, formatCount(payouts.waiting)],
            [value.stuck, <StuckRefunds key="stuck" of={refunds} />],
            [value.swept, sweep.completed_to === null ? value.notSwept : <Moment at={sweep.completed_to} />],
            [value.unreadable, formatCount(sweep.unreadable_items)],
          ]}
        />
      </Card>
    </>
  )
}
