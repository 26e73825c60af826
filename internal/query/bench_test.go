package query

import (
	"strings"
	"testing"

	"rollbook/internal/ratio"
)

// texts are what logs are made of: prose, code and output, and prose of other
// scripts.
var texts = map[string]string{
	"ascii": strings.Repeat("The total of the cart is wrong when a discount applies: see cart/cart.go:114, func (c *Cart) Total() int64.\n"+
		"    if err := s.apply_discount(ctx, order.ID); err != nil { return fmt.Errorf(\"apply: %w\", err) }\n", 500),
	"mixed": strings.Repeat("Der Preis für die Größe – geprüft am 3. März – stimmt nicht überein; naïve Façade, \u201equoted\u201c… done → ok\n", 800),
	"han":   strings.Repeat("购物车的总价在使用折扣时不正确，请检查代码并修复测试。カートの合計が間違っています。\n", 800),
}

func BenchmarkAppendTokens(b *testing.B) {
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 2*len(text))
			ratio.Compare(b, len(text), func() { dst, _ = AppendTokens(dst[:0], text) }, ratio.LineScan([]byte(text)))
		})
	}
}

func BenchmarkAppendMarkers(b *testing.B) {
	tokens, _ := AppendTokens(nil, texts["ascii"])
	dst := make([]byte, 0, len(tokens))
	ratio.Compare(b, len(texts["ascii"]), func() { dst = AppendMarkers(dst[:0], tokens) }, ratio.LineScan([]byte(texts["ascii"])))
}

func BenchmarkSnippet(b *testing.B) {
	text := strings.Repeat(texts["ascii"], 20) // 2 MB
	q, err := Parse(`discount "cart go" total*`, ParseOptions{})
	if err != nil {
		b.Fatal(err)
	}
	ratio.Compare(b, len(text), func() { Snippet(text, q, 160) }, ratio.LineScan([]byte(text)))
}
