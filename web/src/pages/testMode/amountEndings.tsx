import type { ComponentChildren } from "preact"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Card } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Money } from "../../ui/values.tsx"

type Endings = ReadonlyArray<readonly [ending: string, effect: string]>

const texts = textsOf<{
  readonly title: string
  readonly intro: string
  readonly ending: string
  readonly effect: string
  readonly example: string
  readonly create: string
  readonly others: string
  /** Between reais and centavos. */
  readonly separator: string
  readonly charges: string
  readonly refunds: string
  readonly withdrawals: string
  readonly chargeEndings: Endings
  readonly refundEndings: Endings
  readonly withdrawalEndings: Endings
}>({
  "pt-BR": {
    title: "Valores de teste",
    intro:
      "Os dois últimos dígitos do valor, os centavos, decidem o que acontece sozinho poucos segundos depois.",
    ending: "Centavos",
    effect: "O que acontece",
    example: "Experimente",
    create: "Criar cobrança de",
    others: "outros",
    separator: ",",
    charges: "Cobranças",
    refunds: "Devoluções",
    withdrawals: "Saques",
    chargeEndings: [
      ["01", "nunca é paga e expira"],
      ["02", "falha"],
      ["03", "a criação é recusada pelo parceiro bancário"],
      ["04", "é paga e depois devolvida inteira"],
      ["05", "é paga e depois contestada"],
      ["00", "é paga"],
    ],
    refundEndings: [
      ["01", "fica em processamento"],
      ["02", "falha (AM09) e o valor volta ao saldo"],
      ["00", "é concluída"],
    ],
    withdrawalEndings: [
      ["01", "fica em processamento"],
      ["02", "falha no banco (AC03) e o valor volta ao saldo"],
      ["03", "é rejeitado"],
      ["00", "é aprovado e concluído"],
    ],
  },
  en: {
    title: "Test amounts",
    intro: "The last two digits of an amount decide what happens by itself a few seconds later.",
    ending: "Ends in",
    effect: "What happens",
    example: "Try it",
    create: "Create a charge of",
    others: "others",
    separator: ".",
    charges: "Charges",
    refunds: "Refunds",
    withdrawals: "Withdrawals",
    chargeEndings: [
      ["01", "never paid, and expires"],
      ["02", "fails"],
      ["03", "the acquirer refuses its creation"],
      ["04", "paid, then refunded in full"],
      ["05", "paid, then charged back"],
      ["00", "paid"],
    ],
    refundEndings: [
      ["01", "stays at the bank"],
      ["02", "fails (AM09), and the money is back in the balance"],
      ["00", "succeeds"],
    ],
    withdrawalEndings: [
      ["01", "stays at the bank"],
      ["02", "fails at the bank (AC03), and the money is back in the balance"],
      ["03", "is rejected"],
      ["00", "is approved and arrives"],
    ],
  },
})

/** An ending that stands for all that have no meaning of their own. */
const othersEnding = "00"
const exampleWhole = 1_000

interface EndingsProps {
  readonly title: string
  readonly of: Endings
  readonly example?: (centavos: number) => ComponentChildren
}

const EndingsTable = ({ title, of, example }: EndingsProps) => {
  const { value } = texts
  const columns = [value.ending, value.effect, ...(example === undefined ? [] : [{ right: value.example }])]
  return (
    <Card title={title}>
      <Table label={title} columns={columns}>
        {of.map(([ending, effect]) => (
          <TableRow key={ending}>
            <Cell place="title" label={value.ending}>
              <strong>{ending === othersEnding ? value.others : `${value.separator}${ending}`}</strong>
            </Cell>
            <Cell place="extra" label={value.effect}>
              {effect}
            </Cell>
            {example !== undefined && (
              <Cell place="amount" label={value.example}>
                {example(exampleWhole + Number(ending))}
              </Cell>
            )}
          </TableRow>
        ))}
      </Table>
    </Card>
  )
}

const ExampleLink = ({ amount }: { readonly amount: number }) => (
  <Link to={`/charges?create=1&amount=${amount}`}>
    <span class="visually-hidden">{texts.value.create} </span>
    <Money amount={amount} />
  </Link>
)

/** What the endings of amounts do in test mode, with links that try them (`docs/contract/test-controls.md#simulator`). */
export const AmountEndings = () => {
  const { value } = texts
  return (
    <section class="endings" aria-label={value.title}>
      <div>
        <h2>{value.title}</h2>
        <p class="muted">{value.intro}</p>
      </div>
      <EndingsTable
        title={value.charges}
        of={value.chargeEndings}
        example={(amount) => <ExampleLink amount={amount} />}
      />
      <div class="endings-columns">
        <EndingsTable title={value.refunds} of={value.refundEndings} />
        <EndingsTable title={value.withdrawals} of={value.withdrawalEndings} />
      </div>
    </section>
  )
}
