"""Runs torchkge 0.17.7 (with pandas and tqdm)."""

from typing import Any

from torch import no_grad, randint, randn, tensor


def _scored(model: Any) -> Any:
    heads, tails, relations, others = (randint(0, count, (4,)) for count in (6, 6, 3, 6))

    def run(scale: Any) -> Any:
        positive, negative = model(heads, tails, relations, others, tails)
        return positive * scale, negative

    return run


def _inferred(model: Any) -> Any:
    heads, tails, relations = (randint(0, count, (4,)) for count in (6, 6, 3))

    def run(scale: Any) -> Any:
        h, t, r, candidates = model.inference_prepare_candidates(heads, tails, relations, entities=True)
        of_tails = model.inference_scoring_function(h, candidates, r)
        of_heads = model.inference_scoring_function(candidates, t, r)
        h, t, r, candidates = model.inference_prepare_candidates(heads, tails, relations, entities=False)
        return of_tails * scale, of_heads, model.inference_scoring_function(h, t, candidates)

    return run


def _both(model: Any) -> tuple[Any, ...]:
    scored, inferred = _scored(model), _inferred(model)
    # The model is named here, so that its parameters are compared.
    return lambda scale: (model.training, scored(scale), inferred(scale), model.get_embeddings()), randn(1)


def _projected(model: Any) -> tuple[Any, ...]:
    """As `_both`, without gradients where the model keeps what it has projected."""
    scored, inferred = _scored(model), no_grad()(_inferred(model))
    return lambda scale: (model.training, scored(scale), inferred(scale), model.get_embeddings()), randn(1)


def trans_e() -> tuple[Any, ...]:
    from torchkge import TransEModel

    return _both(TransEModel(4, 6, 3, "L1"))


def trans_h() -> tuple[Any, ...]:
    from torchkge import TransHModel

    return _projected(TransHModel(4, 6, 3))


def trans_r() -> tuple[Any, ...]:
    from torchkge import TransRModel

    return _projected(TransRModel(4, 3, 6, 3))


def trans_d() -> tuple[Any, ...]:
    from torchkge import TransDModel

    return _projected(TransDModel(4, 3, 6, 3))


def _torus(kind: str) -> tuple[Any, ...]:
    from torchkge import TorusEModel

    model = TorusEModel(4, 6, 3, kind)
    scored = _scored(model)
    heads, tails, relations = (randint(0, count, (4,)) for count in (6, 6, 3))

    def run(scale: Any) -> Any:
        h, _, r, candidates = model.inference_prepare_candidates(heads, tails, relations, entities=True)
        return scored(scale), model.inference_scoring_function(h, candidates, r), model.get_embeddings()

    return run, randn(1)


def torus_of_lines() -> tuple[Any, ...]:
    return _torus("L1")


def torus_l1() -> tuple[Any, ...]:
    return _torus("torus_L1")


def torus_l2() -> tuple[Any, ...]:
    return _torus("torus_L2")


def torus_el2() -> tuple[Any, ...]:
    return _torus("torus_eL2")


def rescal() -> tuple[Any, ...]:
    from torchkge import RESCALModel

    return _both(RESCALModel(4, 6, 3))


def dist_mult() -> tuple[Any, ...]:
    from torchkge import DistMultModel

    return _both(DistMultModel(4, 6, 3))


def hole() -> tuple[Any, ...]:
    from torchkge import HolEModel

    return _both(HolEModel(4, 6, 3))


def complex_() -> tuple[Any, ...]:
    from torchkge import ComplExModel

    return _both(ComplExModel(4, 6, 3))


def analogy() -> tuple[Any, ...]:
    from torchkge import AnalogyModel

    return _both(AnalogyModel(4, 6, 3))


def convolution() -> tuple[Any, ...]:
    from torchkge import ConvKBModel

    return _both(ConvKBModel(4, 2, 6, 3))


def losses() -> tuple[Any, ...]:
    from torchkge import LogisticLoss, MarginLoss
    from torchkge.utils import BinaryCrossEntropyLoss

    margin, logistic, crossed = MarginLoss(0.5), LogisticLoss(), BinaryCrossEntropyLoss()
    return lambda good, bad: (margin(good, bad), logistic(good, bad), crossed(good, bad)), randn(4), randn(4)


def distances() -> tuple[Any, ...]:
    from torchkge.utils import (
        el2_torus_dissimilarity,
        l1_dissimilarity,
        l1_torus_dissimilarity,
        l2_dissimilarity,
        l2_torus_dissimilarity,
    )

    every = [l1_dissimilarity, l2_dissimilarity, l1_torus_dissimilarity, l2_torus_dissimilarity]
    return lambda a, b: [each(a, b) for each in (*every, el2_torus_dissimilarity)], randn(4, 3), randn(4, 3)


def filtered() -> tuple[Any, ...]:
    from torchkge.utils import filter_scores, get_mask, get_rank

    known = {(0, 1): {0, 2}, (1, 1): {3}}
    one, other, true = tensor([0, 1, 2]), tensor([1, 1, 0]), tensor([2, 3, 1])

    def run(scores: Any) -> Any:
        kept = filter_scores(scores, known, one, other, true)
        rank = get_rank(scores, true).float()
        return kept.softmax(-1), rank, get_rank(kept, true, low_values=True).float(), get_mask(5, 1, 3).float()

    return run, randn(3, 5)


def _graph() -> Any:
    from torchkge import KnowledgeGraph

    names = {f"e{i}": i for i in range(6)}
    facts = {"heads": randint(0, 6, (20,)), "tails": randint(0, 6, (20,)), "relations": randint(0, 3, (20,))}
    facts["relations"][:3] = tensor([0, 1, 2])
    return KnowledgeGraph(kg=facts, ent2ix=names, rel2ix={"a": 0, "b": 1, "c": 2})


def sampled() -> tuple[Any, ...]:
    from torchkge.sampling import (
        BernoulliNegativeSampler,
        BernoulliRelationNegativeSampler,
        PositionalNegativeSampler,
        UniformNegativeSampler,
    )

    graph = _graph()
    kinds = (UniformNegativeSampler, BernoulliNegativeSampler, PositionalNegativeSampler)
    samplers = [kind(graph) for kind in (*kinds, BernoulliRelationNegativeSampler)]

    def run() -> Any:
        made = [each.corrupt_batch(graph.head_idx, graph.tail_idx, graph.relations) for each in samplers]
        parts = graph.split_kg(0.7, validation=True)
        drawn = [each.float() for every in made for each in every]
        return drawn, [part.head_idx.float() for part in parts], graph.head_idx.float(), graph.relations.float()

    return (run,)


def evaluated() -> tuple[Any, ...]:
    from torchkge import DistMultModel
    from torchkge.evaluation import LinkPredictionEvaluator, RelationPredictionEvaluator

    graph, model = _graph(), DistMultModel(4, 6, 3)

    def run() -> Any:
        link, relation = LinkPredictionEvaluator(model, graph), RelationPredictionEvaluator(model, graph, False)
        for each in (link, relation):
            each.evaluate(8, verbose=False)
        ranks = [link.rank_true_heads, link.filt_rank_true_tails, relation.filt_rank_true_rels]
        return [each.float() for each in ranks], tensor([*link.hit_at_k(2), *link.mrr(), *relation.mrr()])

    return (run,)
